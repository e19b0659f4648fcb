// Package static serves the files a browser needs beside the pages: style,
// script, flags. Everything is in the binary; every URL carries a hash of the
// file's content, so a browser keeps it for a year and never has an old one.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Prefix is the path under which Handler must be mounted.
const Prefix = "/static/"

//go:embed *.css *.js *.svg *.png css/*.css flags/*.svg vendor/*.js
var embedded embed.FS

// sheets are the parts of app.css, in order: the first declares the layers.
var sheets = []string{
	"ground", "shell", "parts", "cards", "sale", "outcome", "lists", "shift", "report", "health", "books",
}

// asset is one file, ready to be sent.
type asset struct {
	url    string
	kind   string // Content-Type
	body   []byte
	zipped func() []byte // gzip, made once and kept
}

// set is all files, by name and by hashed path.
type set struct {
	byName map[string]*asset
	byPath map[string]*asset
}

// assets is read once; the files cannot change while the program runs.
var assets = sync.OnceValue(load)

// URL returns the address of a file by its name in this folder, such as
// "app.css" or "flags/ie.svg": "/static/app-1f2e3d4c.css". A name that does not
// exist is a slip of the programmer and panics; use Flag for names from data.
func URL(name string) string {
	a, ok := assets().byName[name]
	if !ok {
		panic("static: no file " + name)
	}
	return a.url
}

// Flag returns the address of a country's flag by its ISO 3166-1 alpha-2 code
// in either case, "" if there is none.
func Flag(countryISO string) string {
	a, ok := assets().byName["flags/"+strings.ToLower(countryISO)+".svg"]
	if !ok {
		return ""
	}
	return a.url
}

// Worker returns the script that a browser keeps beside the till, for when
// there is no connection. It must be served from the root to see every page.
func Worker() []byte { return assets().byName["worker.js"].body }

// Handler serves the files under Prefix, by hashed paths alone; anything else is 404. While two versions of the
// program run side by side, the one may be asked for a file of the other's page: it sends its own, for once.
func Handler() http.Handler {
	files := assets()
	for name, a := range files.byName {
		if !strings.HasPrefix(name, "flags/") {
			a.zipped()
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := files.byPath[r.URL.Path]
		if !ok {
			a = files.byName[unhashed(r.URL.Path)]
		}
		if a == nil {
			http.NotFound(w, r)
			return
		}
		a.serve(w, r, ok)
	})
}

// serve sends the file whole. One that is its address's own never changes, and needs no validators or ranges; another
// is kept by no browser, nor by worker.js, which cannot store what varies by everything.
func (a *asset) serve(w http.ResponseWriter, r *http.Request, own bool) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	if !own {
		h.Set("Cache-Control", "no-store")
		h.Set("Vary", "*")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	body := a.body
	if TakesGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body = a.zipped()
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	// The client has gone if this fails: there is nobody to tell.
	_, _ = w.Write(body)
}

func load() set {
	files := set{byName: map[string]*asset{}, byPath: map[string]*asset{}}
	add := func(name string, body []byte) {
		a := newAsset(name, body)
		files.byName[name], files.byPath[a.url] = a, a
	}
	// The walk cannot fail: the files are part of the program.
	_ = fs.WalkDir(embedded, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Dir(name) == "css" {
			return err
		}
		body, err := embedded.ReadFile(name)
		add(name, body)
		return err
	})
	add("app.css", stylesheet())
	return files
}

// stylesheet joins the parts of app.css, so that a page loads one.
func stylesheet() []byte {
	var b bytes.Buffer
	for _, name := range sheets {
		body, err := embedded.ReadFile("css/" + name + ".css")
		if err != nil {
			panic("static: " + err.Error()) // the list names a file that is not there
		}
		b.Write(body)
	}
	return b.Bytes()
}

var hashed = regexp.MustCompile(`^(.+)-[0-9a-f]{8}(\.\w+)$`)

// unhashed is the name of a file in an address with a hash, "" if it has none.
func unhashed(address string) string {
	parts := hashed.FindStringSubmatch(strings.TrimPrefix(address, Prefix))
	if parts == nil {
		return ""
	}
	return parts[1] + parts[2]
}

func newAsset(name string, body []byte) *asset {
	sum := sha256.Sum256(body)
	extension := path.Ext(name)
	return &asset{
		url:    Prefix + strings.TrimSuffix(name, extension) + "-" + hex.EncodeToString(sum[:4]) + extension,
		kind:   kindOf(extension),
		body:   body,
		zipped: sync.OnceValue(func() []byte { return zip(body) }),
	}
}

func kindOf(extension string) string {
	switch extension {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	}
	return "application/octet-stream"
}

func zip(body []byte) []byte {
	var b bytes.Buffer
	// Writing to a buffer and a valid level cannot fail.
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = w.Write(body)
	_ = w.Close()
	return b.Bytes()
}
