# The binary and the certificate authorities of a distribution, nothing else. It is static and needs no user in
# particular.
FROM alpine:3.22 AS roots
RUN apk add --no-cache ca-certificates

FROM scratch
ARG TARGETPLATFORM
COPY --from=roots /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY ${TARGETPLATFORM}/tidemark /tidemark
USER 65532:65532
ENTRYPOINT ["/tidemark"]
