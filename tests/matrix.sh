#!/bin/sh
# Run some tests once per Python of $PYTHONS that is found, each in an environment of its own: .venv-3.12 and so on,
# about 3 GB, which stay for the next time. A Python that is not here is left out, with a line that says so.
found() {
    for one in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
        said=$("$one" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
        if [ "$said" = "$1" ]; then
            echo "$one"
            return
        fi
    done
}

run() {
    home=.venv-$1
    test -x "$home/bin/python" || "$2" -m venv "$home" || return 1
    if [ ! "$home/.installed" -nt pyproject.toml ]; then
        "$home/bin/python" -m pip install --quiet --disable-pip-version-check --editable '.[test]' || return 1
        touch "$home/.installed"
    fi
    shift 2
    "$home/bin/python" -m pytest -q -p no:cacheprovider "$@"
}

failed=
for version in $PYTHONS; do
    python=$(found "$version")
    if [ -z "$python" ]; then
        echo "Python $version: not found, left out"
        continue
    fi
    echo "Python $version: $python"
    run "$version" "$python" "$@" || failed="$failed $version"
done
if [ -n "$failed" ]; then
    echo "Tests failed with Python$failed" >&2
    exit 1
fi
