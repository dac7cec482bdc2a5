# The laboratory in a container: docker build -t rfviz .
# On an NVIDIA GPU: docker build --build-arg GPU=1 -t rfviz . ; docker run --gpus all …
FROM python:3.12-slim

ARG GPU=""
WORKDIR /app
COPY requirements.lock requirements-gpu.lock ./
# A file of another content than on the day of "make lock" is refused.
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
RUN test -z "$GPU" || pip install --no-cache-dir --require-hashes -r requirements-gpu.lock
COPY . .

# Nobody inside may change the code; downloads and results lie in a volume.
RUN useradd --create-home rfviz && mkdir /cache /data && chown rfviz /cache
USER rfviz
ENV RFVIZ_CACHE=/cache RFVIZ_DATA=/data
VOLUME /cache
EXPOSE 8501
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s \
  CMD python -c "import urllib.request as r; r.urlopen('http://127.0.0.1:8501/rfviz/health', timeout=4)"
CMD ["streamlit", "run", "app.py", "--server.headless", "true", "--server.address", "0.0.0.0", "--server.port", "8501"]
