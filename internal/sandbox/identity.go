package sandbox

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// tokenScope is the one scope of every token.
const tokenScope = "topupapi"

// identity is what the identity server remembers, from one start or reset to the next.
type identity struct {
	name    string // in the id of each token that it gives out
	issued  int
	revoked int // tokens up to this serial are refused, and all from before its time; -1: none
}

func newIdentity() *identity { return &identity{name: rand.Text(), revoked: -1} }

// refuses says whether the token with this id was revoked.
func (i *identity) refuses(id string) bool {
	name, serial, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(serial)
	return err != nil || i.revoked >= 0 && (name != i.name || n <= i.revoked)
}

// authenticate accepts the header api_key or a bearer token.
func (s *Service) authenticate(r *http.Request) *apiError {
	s.mu.Lock()
	key, identity := s.config.APIKey, *s.identity
	s.mu.Unlock()
	if given := r.Header.Get("api_key"); given != "" && same(given, key) {
		return nil
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return &apiError{Code: authenticationFailed}
	}
	err := s.verify(token, identity)
	switch {
	case errors.Is(err, jwt.ErrExpired):
		return &apiError{Code: authenticationFailed, Context: tokenExpired}
	case err != nil:
		return &apiError{Code: authenticationFailed}
	}
	return nil
}

// same compares two secrets in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// verify checks signature, life and scope of a token. A revoked one counts as
// expired.
func (s *Service) verify(token string, by identity) error {
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		return err
	}
	keys, err := s.keys.tokens()
	if err != nil {
		return err
	}
	var claims struct {
		jwt.Claims
		Scope string `json:"scope"`
	}
	if err := parsed.Claims(keys[0].private.Public(), &claims); err != nil {
		return err
	}
	if err := claims.ValidateWithLeeway(jwt.Expected{Time: s.deps.Now()}, 0); err != nil {
		return err
	}
	if by.refuses(claims.ID) {
		return jwt.ErrExpired
	}
	if claims.Scope != tokenScope {
		return errors.New("scope is missing")
	}
	return nil
}

// identityRoutes serves the identity server.
func (s *Service) identityRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /connect/token", s.token)
	mux.HandleFunc("GET /.well-known/openid-configuration", s.openIDConfiguration)
	mux.HandleFunc("GET /.well-known/jwks", func(w http.ResponseWriter, _ *http.Request) {
		s.writeKeys(w, s.keys.tokens)
	})
	mux.HandleFunc("GET /.well-known/webhook-keys", func(w http.ResponseWriter, r *http.Request) {
		c := &call{endpoint: "WebhookKeys", request: r, actions: s.fire(subject{endpoint: "WebhookKeys", inner: true})}
		if !s.before(w, c) {
			s.writeKeys(w, s.keys.hooks)
		}
	})
}

// tokenResponse is the answer of the token endpoint.
type tokenResponse struct {
	AccessToken string `json:"access_token"`
	ExpiresIn   int    `json:"expires_in"` // seconds
	TokenType   string `json:"token_type"`
	Scope       string `json:"scope"`
}

// token gives out tokens for client credentials; errors are those of RFC 6749.
func (s *Service) token(w http.ResponseWriter, r *http.Request) {
	c := &call{endpoint: "Token", request: r, actions: s.fire(subject{endpoint: "Token", inner: true})}
	if s.before(w, c) {
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	if err := r.ParseForm(); err != nil {
		s.tokenError(w, http.StatusBadRequest, "invalid_request")
		return
	}
	if r.PostForm.Get("grant_type") != "client_credentials" {
		s.tokenError(w, http.StatusBadRequest, "unsupported_grant_type")
		return
	}
	id, secret, basic := clientOf(r)
	s.mu.Lock()
	config := s.config
	s.mu.Unlock()
	if !same(id, config.ClientID) || !same(secret, config.ClientSecret) {
		if basic {
			w.Header().Set("WWW-Authenticate", `Basic realm="token"`)
			s.tokenError(w, http.StatusUnauthorized, "invalid_client")
			return
		}
		s.tokenError(w, http.StatusBadRequest, "invalid_client")
		return
	}
	if scope := r.PostForm.Get("scope"); scope != "" && scope != tokenScope {
		s.tokenError(w, http.StatusBadRequest, "invalid_scope")
		return
	}
	signed, err := s.issue(r, config)
	if err != nil {
		s.log.Error("sandbox.token", "error", err)
		s.tokenError(w, http.StatusInternalServerError, "server_error")
		return
	}
	s.after(w, c, answer(tokenResponse{
		AccessToken: signed, TokenType: "Bearer", Scope: tokenScope,
		ExpiresIn: int(time.Duration(config.TokenLifetime) / time.Second),
	}))
}

// clientOf reads the credentials from the Authorization header
// (client_secret_basic, both form-encoded) or the form (client_secret_post).
func clientOf(r *http.Request) (id, secret string, basic bool) {
	if user, password, ok := r.BasicAuth(); ok {
		id, err := url.QueryUnescape(user)
		secret, err2 := url.QueryUnescape(password)
		if err == nil && err2 == nil {
			return id, secret, true
		}
		return "", "", true
	}
	return r.PostForm.Get("client_id"), r.PostForm.Get("client_secret"), false
}

func (s *Service) tokenError(w http.ResponseWriter, status int, code string) {
	s.write(w, reply{status: status, body: map[string]string{"error": code}})
}

// issue signs a new token.
func (s *Service) issue(r *http.Request, config Config) (string, error) {
	keys, err := s.keys.tokens()
	if err != nil {
		return "", err
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: keys[0].private, KeyID: keys[0].id}},
		(&jose.SignerOptions{}).WithType("at+jwt"))
	if err != nil {
		return "", fmt.Errorf("make signer: %w", err)
	}
	s.mu.Lock()
	s.identity.issued++
	by := *s.identity
	s.mu.Unlock()
	now := s.deps.Now()
	return jwt.Signed(signer).Claims(jwt.Claims{
		Issuer: issuer(r), Subject: config.ClientID, Audience: jwt.Audience{tokenScope}, ID: fmt.Sprintf("%s-%d", by.name, by.issued),
		IssuedAt: jwt.NewNumericDate(now), NotBefore: jwt.NewNumericDate(now),
		Expiry: jwt.NewNumericDate(now.Add(time.Duration(config.TokenLifetime))),
	}).Claims(map[string]any{"client_id": config.ClientID, "scope": tokenScope}).Serialize()
}

// issuer is the address the service is reached at.
func issuer(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

func (s *Service) openIDConfiguration(w http.ResponseWriter, r *http.Request) {
	at := issuer(r)
	s.write(w, answer(map[string]any{
		"issuer": at, "jwks_uri": at + "/.well-known/jwks", "token_endpoint": at + "/connect/token",
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic", "client_secret_post"},
		"grant_types_supported":                 []string{"client_credentials"},
		"scopes_supported":                      []string{tokenScope},
		"response_types_supported":              []string{"token"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256"},
	}))
}

// writeKeys answers with a JWKS of public keys.
func (s *Service) writeKeys(w http.ResponseWriter, keys func() ([]signingKey, error)) {
	all, err := keys()
	if err != nil {
		s.log.Error("sandbox.keys", "error", err)
		http.Error(w, "no keys", http.StatusInternalServerError)
		return
	}
	set := jose.JSONWebKeySet{}
	for _, key := range all {
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: key.private.Public(), KeyID: key.id, Algorithm: "RS256", Use: "sig"})
	}
	body, err := json.Marshal(set)
	if err != nil {
		s.log.Error("sandbox.keys", "error", err)
		http.Error(w, "no keys", http.StatusInternalServerError)
		return
	}
	s.write(w, reply{status: http.StatusOK, parts: [][]byte{body}})
}
