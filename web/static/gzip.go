package static

import (
	"net/http"
	"regexp"
	"strings"
)

// refused is the weight of what a client will not take.
var refused = regexp.MustCompile(`^(?i)\s*q=0(\.0*)?\s*$`)

// TakesGzip says whether a client takes gzip (RFC 9110, 12.5.3).
func TakesGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			return !refused.MatchString(weight)
		}
	}
	return false
}
