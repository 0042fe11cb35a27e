# vmconf alone, as a static binary: docker build -t vmconf . && docker run --rm -v "$PWD:/work" vmconf run vectors
# A machine to test (--vm) runs in the same container: copy /vmconf into an image that has it.
FROM rust:1.91-alpine AS build
RUN apk add --no-cache musl-dev
WORKDIR /src
COPY . .
# What `vmconf --version` says: --build-arg BUILD="0.1.0 ($(git log -1 --format='%h %cs'))"
ARG BUILD
RUN export ${BUILD:+VMCONF_BUILD="$BUILD"} && cargo build --locked --profile dist && install -d -m 1777 /empty

FROM scratch
COPY --from=build /src/target/dist/vmconf /vmconf
COPY --from=build /src/LICENSE /LICENSE
COPY --from=build /empty /tmp
ENV VMCONF_CACHE=/tmp/vmconf
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/vmconf"]
