package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// authority is as much of one (RFC 8555) as a till meets: one account, one order, one
// question over HTTP, whose answer it really asks for.
type authority struct {
	*httptest.Server
	t        *testing.T
	asks     string
	mu       sync.Mutex
	thumb    string // of the account's key
	answered bool
	orders   int
	chain    []byte
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	mux := http.NewServeMux()
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Replay-Nonce", fmt.Sprint(time.Now().UnixNano()))
		a.mu.Lock()
		defer a.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(a.Close)
	say := func(w http.ResponseWriter, status int, at string, body any) {
		w.Header().Set("Location", a.URL+at)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
	order := func() map[string]any {
		status := "pending"
		if a.answered {
			status = "ready"
		}
		o := map[string]any{"status": status, "identifiers": []any{a.name()}, "authorizations": []string{a.URL + "/authz"}, "finalize": a.URL + "/finalize"}
		if a.chain != nil {
			o["status"], o["certificate"] = "valid", a.URL+"/certificate"
		}
		return o
	}
	challenge := func() map[string]any {
		status := "pending"
		if a.answered {
			status = "valid"
		}
		return map[string]any{"type": "http-01", "url": a.URL + "/challenge", "token": "token", "status": status}
	}
	mux.HandleFunc("/directory", func(w http.ResponseWriter, _ *http.Request) {
		say(w, 200, "", map[string]any{"newNonce": a.URL + "/nonce", "newAccount": a.URL + "/account", "newOrder": a.URL + "/order", "revokeCert": a.URL + "/revoke", "keyChange": a.URL + "/key"})
	})
	mux.HandleFunc("/nonce", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/account", func(w http.ResponseWriter, r *http.Request) {
		a.thumb = thumbprint(t, r)
		say(w, 201, "/account/1", map[string]any{"status": "valid"})
	})
	mux.HandleFunc("/order", func(w http.ResponseWriter, _ *http.Request) { a.orders++; say(w, 201, "/order/1", order()) })
	mux.HandleFunc("/order/1", func(w http.ResponseWriter, _ *http.Request) { say(w, 200, "/order/1", order()) })
	mux.HandleFunc("/authz", func(w http.ResponseWriter, _ *http.Request) {
		say(w, 200, "", map[string]any{"status": challenge()["status"], "identifier": a.name(), "challenges": []any{challenge()}})
	})
	mux.HandleFunc("/challenge", func(w http.ResponseWriter, _ *http.Request) { a.ask(); say(w, 200, "", challenge()) })
	mux.HandleFunc("/finalize", func(w http.ResponseWriter, r *http.Request) { a.issue(r); say(w, 200, "/order/1", order()) })
	mux.HandleFunc("/certificate", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pem-certificate-chain")
		_, _ = w.Write(a.chain)
	})
	return a
}

func (*authority) name() map[string]string {
	return map[string]string{"type": "dns", "value": tillName}
}

// ask asks the till the question whose answer shows that the name leads to it.
func (a *authority) ask() {
	request, _ := http.NewRequestWithContext(a.t.Context(), http.MethodGet, a.asks+"/.well-known/acme-challenge/token", nil)
	request.Host = tillName
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	a.answered = string(body) == "token."+a.thumb
}

func (a *authority) issue(r *http.Request) {
	var ask struct{ CSR string }
	a.payload(r, &ask)
	der, _ := base64.RawURLEncoding.DecodeString(ask.CSR)
	request, err := x509.ParseCertificateRequest(der)
	if err != nil {
		return
	}
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	root, _ := x509.ParseCertificate(signed(a.t, 1, key.Public(), nil, key))
	a.chain = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed(a.t, 7, request.PublicKey, root, key)})
}

// signedBody is what a client of RFC 8555 sends.
type signedBody struct{ Protected, Payload string }

func (a *authority) payload(r *http.Request, into any) {
	var body signedBody
	_ = json.NewDecoder(r.Body).Decode(&body)
	text, _ := base64.RawURLEncoding.DecodeString(body.Payload)
	_ = json.Unmarshal(text, into)
}

func thumbprint(t *testing.T, r *http.Request) string {
	t.Helper()
	var body signedBody
	_ = json.NewDecoder(r.Body).Decode(&body)
	text, _ := base64.RawURLEncoding.DecodeString(body.Protected)
	var header struct{ JWK jose.JSONWebKey }
	_ = json.Unmarshal(text, &header)
	sum, _ := header.JWK.Thumbprint(crypto.SHA256)
	return base64.RawURLEncoding.EncodeToString(sum)
}
