# syntax=docker/dockerfile:1

FROM --platform=$BUILDPLATFORM golang:1.26-bookworm@sha256:a688600ca24f8a4d3ca77f95b0dd40704a9fc787c826660eb7ba0b641b8b175d AS build
ARG TARGETOS TARGETARCH
ENV CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH GOCACHE=/cache GOFLAGS="-trimpath -tags=nomsgpack"
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/cache \
    mkdir -p /image/bin /image/data /image/tmp && \
    go build -ldflags='-s -w' -o /image/bin/ ./cmd/web ./cmd/sandbox && \
    go build -C tools -ldflags='-s -w' -o /image/bin/ ./probe

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /image/bin/ /bin/
COPY --from=build --chown=65532:65532 /image/data /data
COPY --from=build --chown=65532:65532 /image/tmp /tmp
USER 65532:65532
WORKDIR /data
ENV LISTEN_ADDR=0.0.0.0:8080
EXPOSE 8080
ENTRYPOINT ["/bin/web"]
CMD ["serve"]
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["/bin/probe", "http://127.0.0.1:8080/healthz"]
