# The service in an image: docker build -t holdfast .
# docker run -p 8321:8321 -v holdfast:/data holdfast   (embedded Postgres; compose.yaml is for several processes)

FROM python:3.12-slim AS build
WORKDIR /src
RUN python -m venv /opt/holdfast
COPY requirements.lock ./
RUN /opt/holdfast/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
COPY docs ./docs
COPY data ./data
COPY sdk ./sdk
COPY minilm ./minilm
# Builds the embedding model into its package: nothing is downloaded when the service runs.
RUN /opt/holdfast/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation ./minilm ./sdk .

FROM python:3.12-slim
RUN useradd --uid 10001 --create-home holdfast && install --directory --owner holdfast --mode 700 /data
COPY --from=build /opt/holdfast /opt/holdfast
ENV PATH=/opt/holdfast/bin:$PATH HOLDFAST_DATA_DIR=/data HOLDFAST_HOST=0.0.0.0 PYTHONUNBUFFERED=1
# By number, so that a cluster can check that it is not root.
USER 10001
VOLUME /data
EXPOSE 8321
HEALTHCHECK --interval=10s --timeout=4s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8321/healthz', timeout=3)"]
# SIGTERM ends it after what was acknowledged is finished, the embedded Postgres last.
STOPSIGNAL SIGTERM
ENTRYPOINT ["holdfast"]
CMD ["serve"]
