# altmas in a container: docs/install.md says how to run it, and how to reach the labelling page safely.
FROM python:3.12-slim

ENV PYTHONUNBUFFERED=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_ROOT_USER_ACTION=ignore

WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY altmas ./altmas
COPY metrics ./metrics
COPY surrogates ./surrogates
COPY experiments ./experiments
RUN pip install . && rm -rf /src/*

# Nobody who runs it is root. Audits, and what is known of earlier ones, lie in the folder that is mounted here.
RUN useradd --create-home --uid 1000 altmas && mkdir /audits && chown altmas:altmas /audits
ENV ALTMAS_HOME=/audits/.altmas \
    MPLCONFIGDIR=/tmp/matplotlib
USER 1000
WORKDIR /audits
VOLUME ["/audits"]

ENTRYPOINT ["altmas"]
CMD ["--help"]
