package exporter

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"tidemark/render/prom"
	"tidemark/request"
)

// serve answers scrapes while the loop captures; both end with ctx, or when one of them fails.
func (e *Exporter) serve(ctx context.Context) error {
	listener, err := net.Listen("tcp", e.options.Listen)
	if err != nil {
		return request.Wrong("listen", "%s: %w", e.options.Listen, err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	server := &http.Server{Handler: e.handler(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute}
	served := make(chan error, 1)
	go func() {
		defer stop()
		served <- server.Serve(listener)
	}()
	e.note(fmt.Sprintf("metrics at http://%s/metrics", listener.Addr()))
	err = e.loop(ctx)
	// Scrapes in flight are answered; a client that does not read its answer must not delay the end.
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if shutdown := server.Shutdown(closing); shutdown != nil {
		err = errors.Join(err, server.Close())
	}
	if failed := <-served; !errors.Is(failed, http.ErrServerClosed) {
		return fmt.Errorf("metrics cannot be served: %w", failed)
	}
	return err
}

func (e *Exporter) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		open := strings.Contains(r.Header.Get("Accept"), "application/openmetrics-text")
		w.Header().Set("Content-Type", prom.PrometheusTextType)
		if open {
			w.Header().Set("Content-Type", prom.OpenMetricsType)
		}
		_ = prom.Metrics(w, e.exposition(open)) // an error means that the client is gone
	})
	mux.HandleFunc("GET /-/healthy", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") })
	// Ready means that the first capture has ended; whether the cluster answered is tidemark_up.
	mux.HandleFunc("GET /-/ready", func(w http.ResponseWriter, _ *http.Request) {
		if e.exposition(false).Captures == 0 {
			http.Error(w, "the first capture has not ended", http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintln(w, "tidemark export: see /metrics")
	})
	return mux
}
