"""Whether a prompt is a request at all. Hosts also send commands, notifications and results as prompts."""

from __future__ import annotations

import json
import re

__all__ = ["is_request", "slash_command", "words_of"]

_SLASH = re.compile(r"\s*[/!](?P<name>\w[\w.:-]{0,199})(?=\s|$)")
"""A command: one word behind the slash. A path has a second slash and is no command."""

_BLOCK = re.compile(
    r"\s*<(?P<tag>[A-Za-z][\w:.-]{0,79})(?:\s[^<>]{0,500})?(?:/>|>.*?</(?P=tag)\s*>)", re.DOTALL
)
"""A whole element at the start: hosts wrap notifications, results and reminders in one."""

_OPEN_BLOCK = re.compile(r"\s*<[A-Za-z]+(?:[-_][A-Za-z]+)+(?:\s[^<>]{0,500})?>")
"""An element of a host (its name has two words) that is never closed: the rest is its content."""

_HEADER = re.compile(r"\s*(?:\[(?P<in>[^\]\n]{1,200})\]|(?P<label>[^\n:]{1,80}):(?=\s|$))")
"""``[SYSTEM NOTIFICATION]`` or ``Scheduled task:`` at the start."""

_SENDERS = frozenset(
    "agent agents automated automatic automation background bot cron daemon heartbeat hook job request "
    "routine scheduled scheduler subagent subagents sub system task tasks teammate timer tool trigger "
    "triggered workflow".split()
)
"""Who speaks in a header that is no person."""

_MESSAGES = frozenset(
    "alert alerts completed completion done event events exited fired failed finished interrupted message "
    "messages notice notification notifications output ping reminder result results run status stopped "
    "succeeded tick wakeup".split()
)
"""What a header announces that is no request."""

_TELLING = frozenset("automated cron heartbeat notification notifications scheduled subagent wakeup".split())
"""Words of either kind that need no other beside them."""

_ACKNOWLEDGED = frozenset(
    # English
    "a absolutely agree agreed ahead all alright again and approved as awesome back best better bye carry "
    "cheers clear confirm confirmed continue continuing cool correct do done exactly excellent fine first "
    "for go going good got great hello hey hi i is it its just keep k later let lets lgtm like looks lovely "
    "makes me more my never mind next nice no nope not now of off ok okay on one option perfect please "
    "proceed right resume retry same second sense ship so sounds stop sure thank thanks that the then thing "
    "third this thx to try ty u up very wait well wonderful work works yeah yep yes you your yup "
    # German
    "ja jawohl nein weiter weitermachen mach mache machen bitte danke genau gut klar passt super stimmt "
    "richtig los fertig nochmal einfach so das fortfahren fahre fort perfekt prima gerne alles "
    # French
    "oui non continue continuez continuer merci parfait daccord accord vas allez bien sur super cest si te "
    "plait il vous svp encore suite la d c s y "
    # Spanish, Portuguese, Italian
    "si no sim nao continua continuar continue siga sigue adelante dale vale claro gracias perfecto bueno "
    "bien hazlo por favor obrigado obrigada pode certo isso prossiga va bene avanti grazie perfetto "
    "certo procedi prego fallo ok "
    # Dutch, Swedish, Polish, Turkish, Indonesian, Vietnamese
    "nee graag doorgaan verder bedankt prima akkoord nej tack fortsatt tak nie dalej kontynuuj dziekuje "
    "dobrze evet hayir devam et tamam tesekkurler ya tidak lanjut lanjutkan terima kasih tiep tuc vang "
    # Russian, Ukrainian
    "да нет продолжай продолжайте дальше давай хорошо спасибо ок ладно верно отлично так далі дякую".split()
)
"""Words of answers that ask for nothing by themselves, without accents."""

_UNSPACED = (
    r"好的?|是的?|对的?|對的?|行|可以了?|没问题|沒問題|继续|繼續|下一步|谢谢|謝謝|不用?|不是|没有|嗯+|请|請|吧|了|做|确认|確認|同意|收到|明白|"
    r"はい|ええ|うん|いいえ|お願いします|おねがいします|続けて(?:ください)?|続行(?:して(?:ください)?)?|次|進めて(?:ください)?|どうぞ|了解(?:です|しました)?|ありがとう(?:ございます)?|いいです|"
    r"大丈夫(?:です)?|オーケー|네|예|응|아니(?:요|오)?|계속(?:해(?:주세요|요|줘)?|하세요)?|진행(?:해(?:주세요|요|줘)?)?|좋아요?|감사합니다|고마워요?|다음|"
    r"نعم|لا|تابع|استمر|شكرا|حسنا|हाँ|हां|नहीं|जारी|रखें|रखो|धन्यवाद|ठीक|है|ใช่|ต่อ|ขอบคุณ|ครับ|ค่ะ|ไม่"
)
"""The same in writing systems without spaces, or where accents are letters."""

_CJK = "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]"

_ACKNOWLEDGED_WORDS = 10
"""A longer answer holds something besides, whatever its words are."""

_LEAST_WORDS = 2
"""Words besides those above: one alone says what a thing is called, not what to do with it."""

_LEAST_CJK = 3
"""The same in Chinese, Japanese, Korean and Thai characters: verb and object take about as many."""


def slash_command(prompt: str) -> str:
    """Return the name behind the slash if the prompt is a command; else an empty string.

    >>> slash_command("/deploy staging")
    'deploy'
    >>> slash_command("/home/me/a.csv needs a header")
    ''
    """
    found = _SLASH.match(prompt)
    return found["name"] if found else ""


def is_request(prompt: str) -> bool:
    """Whether somebody asks for something in ``prompt``: no command, no message of a machine, no mere yes."""
    if slash_command(prompt):
        return False
    said = words_of(prompt)
    if not said or _announced(said) or _is_data(said):
        return False
    return _says_something(said)


def words_of(prompt: str) -> str:
    """Return what a person wrote: the prompt without the elements that a host put before it."""
    rest = prompt.strip()
    while found := _BLOCK.match(rest):
        rest = rest[found.end() :].strip()
    return "" if _OPEN_BLOCK.match(rest) else rest


def _announced(said: str) -> bool:
    """Whether the prompt begins with the header of a machine's message.

    A header names a sender and a message, or has a word that tells by itself: `[Scheduled]`. Before a colon
    it has no other words: `Task: …` and `Cron job for backups: …` are how people begin.
    """
    found = _HEADER.match(said)
    if not found:
        return False
    words = set(re.findall(r"[a-z]+", (found["in"] or found["label"] or "").casefold()))
    telling = bool(words & _TELLING) or bool(words & _SENDERS and words & _MESSAGES)
    if found["in"]:
        return telling
    return telling and words <= _SENDERS | _MESSAGES


def _is_data(said: str) -> bool:
    """Whether the prompt is one JSON value: a machine's message, or data nobody asks anything about."""
    if not (said.startswith(("{", "[")) and said.endswith(("}", "]"))):
        return False
    try:
        json.loads(said)
    except (ValueError, RecursionError):
        return False
    return True


def _says_something(said: str) -> bool:
    cjk = 0
    if not said.isascii():  # compiling the patterns takes as long as everything else here
        cjk = len(re.findall(_CJK, re.sub(_UNSPACED, "", said)))
        if cjk >= _LEAST_CJK:
            return True
        said = re.sub(_UNSPACED, " ", said)
    words = re.findall(r"[^\W\d_]+", _without_accents(said).replace("'", ""))
    content = [word for word in words if word not in _ACKNOWLEDGED and len(word) > 1]
    if len(words) <= _ACKNOWLEDGED_WORDS:
        return len(content) >= _LEAST_WORDS or bool(content and cjk)
    return bool(content)


def _without_accents(text: str) -> str:
    if text.isascii():
        return text.casefold()
    from unicodedata import combining, normalize

    return "".join(c for c in normalize("NFD", text.casefold()) if not combining(c))
