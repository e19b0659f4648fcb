package sandbox

import (
	_ "embed" // the description is a file beside this one
	"net/http"
)

//go:embed openapi.json
var openAPI []byte

// serveOpenAPI describes the interface in OpenAPI 3. The tests hold every
// response against it.
func serveOpenAPI(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(openAPI) // the client may have gone
}
