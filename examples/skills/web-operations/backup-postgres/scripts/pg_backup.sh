#!/bin/sh
# Dump one PostgreSQL database, check the dump, thin out old ones.
set -eu

usage() {
    cat <<'TEXT'
usage: pg_backup.sh DATABASE DIRECTORY [DAYS]

Writes DIRECTORY/DATABASE-<UTC time>.dump (custom format) and its .sha256, checks that the dump can be
read, and removes dumps of the same database older than DAYS (default 14).
Connection parameters come from PGHOST, PGPORT, PGUSER and ~/.pgpass.
TEXT
}

case "${1:-}" in
    -h | --help) usage; exit 0 ;;
esac
if [ "$#" -lt 2 ] || [ "$#" -gt 3 ]; then
    usage >&2
    exit 2
fi

database=$1 directory=$2 days=${3:-14}
case "$database" in
    "" | *[!A-Za-z0-9_-]*) echo "unsafe database name: $database" >&2; exit 2 ;;
esac
case "$days" in
    "" | *[!0-9]*) echo "DAYS must be a whole number" >&2; exit 2 ;;
esac

umask 077
mkdir -p "$directory"
name=$database-$(date -u +%Y%m%dT%H%M%SZ).dump
part=$directory/.$name.part
trap 'rm -f "$part"' EXIT

pg_dump --format=custom --compress=6 --no-password --file="$part" "$database"
pg_restore --list "$part" > /dev/null
mv "$part" "$directory/$name"
(cd "$directory" && sha256sum "$name" > "$name.sha256")

# Exact digits, so that "shop" never deletes the dumps of "shop-test" or "shop-2".
two='[0-9][0-9]'
stamp="$two$two$two${two}T$two$two${two}Z"
find "$directory" -maxdepth 1 -type f -name "$database-$stamp.dump*" -mtime "+$days" -exec rm -f {} +
echo "$directory/$name"
