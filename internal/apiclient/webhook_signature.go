package apiclient

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// signature is what the headers say about who signed a webhook and when.
type signature struct {
	timestamp string // as signed
	at        time.Time
	value     []byte
	keyID     string
}

// signature reads the four signature headers, each required exactly once (SALE.md, Webhook 1).
func (w *Webhook) signature(header http.Header) (signature, error) {
	var values [4]string
	for i, name := range []string{"Signature", "Timestamp", "Algorithm", "Key-Id"} {
		value, err := w.once(header, name)
		if err != nil {
			return signature{}, err
		}
		values[i] = value
	}
	if values[2] != "rs256" {
		return signature{}, malformed("unknown signature algorithm")
	}
	s := signature{timestamp: values[1], keyID: values[3]}
	if s.keyID == "" || len(s.keyID) > maxKeyIDBytes {
		return signature{}, malformed("unusable key id")
	}
	t, v1, ok := splitSignature(values[0])
	if !ok || t != s.timestamp || !isTimestamp(t) {
		return signature{}, malformed("unusable signature header or timestamp")
	}
	seconds, err := strconv.ParseInt(t, 10, 64)
	if err != nil {
		return signature{}, malformed("unusable timestamp")
	}
	s.at = time.Unix(seconds, 0).UTC()
	if s.value, err = strictBase64(v1); err != nil {
		return signature{}, malformed("the signature is not base64")
	}
	return s, nil
}

func (w *Webhook) once(header http.Header, name string) (string, error) {
	values := header.Values(w.prefix + name)
	if len(values) != 1 {
		return "", malformed("header " + name + " is not there exactly once")
	}
	return values[0], nil
}

// splitSignature splits "t=<digits>,v1=<base64>".
func splitSignature(text string) (t, v1 string, ok bool) {
	first, second, _ := strings.Cut(text, ",")
	t, hasT := strings.CutPrefix(first, "t=")
	v1, hasV1 := strings.CutPrefix(second, "v1=")
	return t, v1, hasT && hasV1
}

// isTimestamp is ^[1-9][0-9]{9,10}$.
func isTimestamp(text string) bool {
	return (len(text) == 10 || len(text) == 11) && text[0] != '0' && strings.Trim(text, "0123456789") == ""
}

// strictBase64 decodes standard base64 with padding. The decoder would skip line breaks, which the service
// never sends.
func strictBase64(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") || text == "" {
		return nil, base64.CorruptInputError(0)
	}
	return base64.StdEncoding.Strict().DecodeString(text)
}
