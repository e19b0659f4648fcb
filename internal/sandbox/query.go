package sandbox

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// maxValues is how many values one query parameter may have.
const maxValues = 500

// query is a parsed query string, by lower-case name.
type query map[string][]string

// parseQuery reads a query string. A blank value and bad UTF-8 are
// ParameterInvalid, a single parameter given twice and more than maxValues
// values TooManyParameters, each with the name as it was written. Unknown
// names are left alone.
func parseQuery(raw string) (query, *apiError) {
	if raw == "" {
		return nil, nil
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, &apiError{Code: requestInvalid}
	}
	q := query{}
	for name, given := range values {
		key := strings.ToLower(name)
		q[key] = append(q[key], given...)
		if len(q[key]) > maxValues || (key == "accountnumber" && len(q[key]) > 1) {
			return nil, &apiError{Code: tooManyParameters, Context: name}
		}
		for _, value := range given {
			if strings.TrimSpace(value) == "" || !utf8.ValidString(value) {
				return nil, &apiError{Code: parameterInvalid, Context: name}
			}
		}
	}
	return q, nil
}

// one returns the value of a single parameter, "" if it was not given.
func (q query) one(name string) string {
	if values := q[strings.ToLower(name)]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// filter is the set of values of an array parameter. An empty one lets
// everything through.
type filter map[string]bool

func (q query) filter(name string) filter {
	values := q[strings.ToLower(name)]
	if len(values) == 0 {
		return nil
	}
	f := make(filter, len(values))
	for _, value := range values {
		f[value] = true
	}
	return f
}

// lets says whether one of the values passes.
func (f filter) lets(values ...string) bool {
	if f == nil {
		return true
	}
	for _, value := range values {
		if f[value] {
			return true
		}
	}
	return false
}
