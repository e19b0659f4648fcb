package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"airtill/internal/sandbox/catalogue"
)

// maxBody is the largest request body read, in bytes.
const maxBody = 1 << 20

// endpoint is one method of the interface.
type endpoint struct {
	name   string
	method string
	handle func(*Service, *call) reply
	// refuse gives errors the endpoint's own response shape; nil: a bare envelope
	refuse func(...apiError) reply
}

// endpoints lists the whole surface, section Endpoints.
func endpoints() []endpoint {
	return []endpoint{
		{name: "GetAccountLookup", method: http.MethodGet, handle: (*Service).getAccountLookup, refuse: refuseItems},
		{name: "GetBalance", method: http.MethodGet, handle: (*Service).getBalance},
		{name: "GetCountries", method: http.MethodGet, handle: (*Service).getCountries},
		{name: "GetCurrencies", method: http.MethodGet, handle: (*Service).getCurrencies},
		{name: "GetErrorCodeDescriptions", method: http.MethodGet, handle: (*Service).getErrorCodeDescriptions},
		{name: "GetProductDescriptions", method: http.MethodGet, handle: (*Service).getProductDescriptions},
		{name: "GetProducts", method: http.MethodGet, handle: (*Service).getProducts},
		{name: "GetPromotionDescriptions", method: http.MethodGet, handle: (*Service).getPromotionDescriptions},
		{name: "GetPromotions", method: http.MethodGet, handle: (*Service).getPromotions},
		{name: "GetProviders", method: http.MethodGet, handle: (*Service).getProviders},
		{name: "GetProviderStatus", method: http.MethodGet, handle: (*Service).getProviderStatus},
		{name: "GetRegions", method: http.MethodGet, handle: (*Service).getRegions},
		{name: "CancelTransfers", method: http.MethodPost, handle: (*Service).cancelTransfers, refuse: refuseItems},
		{name: "EstimatePrices", method: http.MethodPost, handle: (*Service).estimatePrices, refuse: refuseItems},
		{name: "ListTransferRecords", method: http.MethodPost, handle: (*Service).listTransferRecords, refuse: refuseRecords},
		{name: "LookupBills", method: http.MethodPost, handle: (*Service).lookupBills, refuse: refuseItems},
		{name: "SendTransfer", method: http.MethodPost, handle: (*Service).sendTransfer},
	}
}

// refuseItems is an error of an endpoint whose response requires Items.
func refuseItems(errs ...apiError) reply {
	return refuseWith(listResponse[struct{}]{envelope: failure(errs...), Items: []struct{}{}}, errs[0])
}

// call is one request on its way through the service.
type call struct {
	endpoint string
	request  *http.Request
	body     []byte
	query    query
	actions  []Action // faults that fire on it
	refuse   func(...apiError) reply
	ref      string // DistributorRef, for the console
}

// serve takes a request through method, authentication, limits, parsing,
// faults and the endpoint itself.
func (s *Service) serve(w http.ResponseWriter, c *call, e endpoint) {
	r := c.request
	if id := r.Header.Get("X-Correlation-Id"); id != "" {
		w.Header().Set("X-Correlation-Id", id)
	}
	if c.refuse == nil {
		c.refuse = refuse
	}
	if r.Method != e.method {
		w.Header().Set("Allow", e.method)
		refused := c.refuse(apiError{Code: requestInvalid})
		refused.status = http.StatusMethodNotAllowed
		s.write(w, refused)
		return
	}
	if failed := s.authenticate(r); failed != nil {
		s.write(w, refuse(*failed))
		return
	}
	if failed := c.read(); failed != nil {
		s.write(w, c.refuse(*failed))
		return
	}
	if wait, status := s.overLimit(c); status != 0 {
		limited := c.refuse(apiError{Code: rateLimited})
		limited.status, limited.retryAfter = status, wait
		s.write(w, limited)
		return
	}
	if s.faulty() {
		c.actions = s.fire(subjectOf(c))
	}
	if s.before(w, c) {
		return
	}
	s.after(w, c, e.handle(s, c))
}

// read takes in the query of a GET and the body of a POST.
func (c *call) read() *apiError {
	if c.request.Method == http.MethodGet {
		var failed *apiError
		c.query, failed = parseQuery(c.request.URL.RawQuery)
		return failed
	}
	body, err := io.ReadAll(io.LimitReader(c.request.Body, maxBody+1))
	if len(body) > maxBody {
		// A client that is still sending does not hear an answer.
		_, err = io.CopyN(io.Discard, c.request.Body, 32*maxBody)
	}
	if err != nil || len(body) > maxBody || !utf8.Valid(body) {
		return &apiError{Code: requestInvalid}
	}
	c.body = body
	return nil
}

// decode reads the JSON of a body: a value of another type is ParameterInvalid
// with the name of its field, anything else that is wrong RequestInvalid.
func (c *call) decode(into any) *apiError {
	if string(bytes.TrimSpace(c.body)) == "null" {
		return &apiError{Code: requestInvalid}
	}
	err := json.Unmarshal(c.body, into)
	if err == nil {
		return nil
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return &apiError{Code: parameterInvalid, Context: firstField(wrong.Field)}
	}
	return &apiError{Code: requestInvalid}
}

// firstField returns the outermost name of a path such as "Settings.Name", or
// its innermost one below the items of an array, as in "0.SkuCode".
func firstField(path string) string {
	name := ""
	for start, i := 0, 0; i <= len(path); i++ {
		if i == len(path) || path[i] == '.' {
			if name = path[start:i]; !catalogue.Digits(name) {
				return name
			}
			start = i + 1
		}
	}
	return name
}

// write sends a reply as JSON.
func (s *Service) write(w http.ResponseWriter, r reply) {
	parts, err := r.encode()
	if err != nil {
		s.log.Error("sandbox.reply.encode", "error", err)
		http.Error(w, "reply cannot be encoded", http.StatusInternalServerError)
		return
	}
	length := 0
	for _, part := range parts {
		length += len(part)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(length))
	if r.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(r.retryAfter))
	}
	w.WriteHeader(r.status)
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return // the client has gone
		}
	}
}

func (s *Service) unknownPath(w http.ResponseWriter, _ *http.Request) {
	r := refuse(apiError{Code: requestInvalid})
	r.status = http.StatusNotFound
	s.write(w, r)
}

// pause waits in real time, and returns false if the service ends first.
func (s *Service) pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-s.life.Done():
	}
	return false
}
