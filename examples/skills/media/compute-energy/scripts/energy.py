#!/usr/bin/env python3
"""Write the RMS level in dBFS of each window of a 16-bit PCM WAV file."""

import argparse
import json
import math
import sys
import wave
from array import array
from pathlib import Path

FULL_SCALE = 32768
FLOOR_DB = -96.0  # dynamic range of 16 bits


def level(samples: array) -> float:
    """20 log10(rms / full scale), not below the floor."""
    power = sum(sample * sample for sample in samples) / len(samples)
    if power == 0:
        return FLOOR_DB
    return max(FLOOR_DB, round(10 * math.log10(power / FULL_SCALE**2), 2))


def measure(path: Path, window: float) -> dict:
    with wave.open(str(path), "rb") as file:
        if file.getsampwidth() != 2:
            raise SystemExit(f"{path}: {8 * file.getsampwidth()}-bit samples; 16-bit PCM needed")
        rate, frames = file.getframerate(), file.getnframes()
        size = max(1, round(window * rate))
        levels = []
        while data := file.readframes(size):
            samples = array("h", data)
            if sys.byteorder == "big":
                samples.byteswap()
            levels.append(level(samples))
    return {
        "source": path.name,
        "rate": rate,
        "window_s": size / rate,
        "duration_s": round(frames / rate, 3),
        "rms_db": levels,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wav", type=Path)
    parser.add_argument("--window", type=float, default=0.1, help="seconds (default 0.1)")
    parser.add_argument("--output", type=Path, default=Path("energy.json"))
    args = parser.parse_args()
    result = measure(args.wav, args.window)
    args.output.write_text(json.dumps(result) + "\n", encoding="utf-8")
    print(f"{len(result['rms_db'])} windows, {result['duration_s']} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
