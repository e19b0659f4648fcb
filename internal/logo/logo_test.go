package logo

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/hostile"
	"airtill/internal/harness/storetest"
)

const host, other = "logos.example.com", "pictures.example.com"

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestHostileAddressesAreNotAsked(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(hostile.Addresses(host)), 60)
	l := New(Deps{Hosts: []string{host}, Resolve: func(context.Context, string) ([]netip.Addr, error) {
		t.Error("a name was asked for")
		return nil, errors.New("no")
	}})
	for _, address := range hostile.Addresses(host) {
		require.Error(t, l.check(address), "%q", address)
		_, err := l.fetch(t.Context(), address)
		require.Error(t, err, "%q", address)
	}
	for _, address := range []string{"https://logos.example.com/a.png", "https://logos.example.com:443/a.png?x=1", "HTTPS://logos.example.com/"} {
		require.NoError(t, l.check(address), address)
	}
	require.Error(t, New(Deps{}).check("https://logos.example.com/a.png"), "without a list there are no logos")
}

// A name that first resolves to the world and then inwards, or to both at once.
func TestRebindingLeadsNowhere(t *testing.T) {
	t.Parallel()
	public, loopback := netip.MustParseAddr("93.184.215.14"), netip.MustParseAddr("127.0.0.1")
	reached := atomic.Bool{}
	inside := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	inside.StartTLS()
	t.Cleanup(inside.Close)
	_, port, err := net.SplitHostPort(inside.Listener.Addr().String())
	require.NoError(t, err)

	for name, answers := range map[string][][]netip.Addr{
		"inwards":             {{loopback}},
		"both":                {{public, loopback}},
		"inwards in disguise": {{netip.MustParseAddr("::ffff:127.0.0.1")}},
		"nothing":             {{}},
	} {
		asked := 0
		l := New(Deps{Hosts: []string{host}, Resolve: func(context.Context, string) ([]netip.Addr, error) {
			asked++
			return answers[min(asked, len(answers))-1], nil
		}})
		_, err := l.client.Transport.(*http.Transport).DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
		require.Error(t, err, name)
		require.Equal(t, 1, asked, "what was checked is what is dialled, without asking again: %s", name)
	}
	require.False(t, reached.Load())
}

// world is a server that answers for the host on the list.
func world(t *testing.T, answer http.HandlerFunc) *Logos {
	t.Helper()
	server := httptest.NewTLSServer(answer)
	t.Cleanup(server.Close)
	l := New(Deps{DB: storetest.New(t), Now: func() time.Time { return noon }, Log: slog.New(slog.DiscardHandler), Hosts: []string{host, other}})
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	transport := l.client.Transport.(*http.Transport)
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, ServerName: "example.com"}
	transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
	}
	return l
}

func picture(t *testing.T, width, height int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetNRGBA(x, y, color.NRGBA{R: 200, A: uint8(x % 256)})
		}
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, img))
	return b.Bytes()
}

func TestLogoIsDrawnAnewAndKept(t *testing.T) {
	t.Parallel()
	var asked []string
	body := append(picture(t, 400, 200), "<script>alert(1)</script>"...)
	l := world(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		_, _ = w.Write(body)
	})
	address := "https://" + host + "/a.png?provider=1"
	for range 2 {
		got, err := l.Logo(t.Context(), address)
		require.NoError(t, err)
		drawn, err := png.Decode(bytes.NewReader(got))
		require.NoError(t, err)
		require.Equal(t, image.Rect(0, 0, Side, Side/2), drawn.Bounds())
		_, _, _, alpha := drawn.At(0, 0).RGBA()
		require.EqualValues(t, 0xffff, alpha, "no letters shine through")
		require.NotContains(t, string(got), "script")
	}
	require.Equal(t, []string{"/a.png?height=128&provider=1&width=128"}, asked, "height and width are all that is added, and it is asked once")

	none, err := l.Logo(t.Context(), "https://evil.example/a.png")
	require.NoError(t, err)
	require.Nil(t, none)
}

func TestFailureIsRememberedForAWhileAndTheOldLogoServesOn(t *testing.T) {
	t.Parallel()
	asked, broken, now := 0, true, noon
	l := world(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		if broken {
			w.WriteHeader(http.StatusInternalServerError)
		}
		_, _ = w.Write(picture(t, 8, 8))
	})
	l.d.Now = func() time.Time { return now }
	look := func() []byte {
		got, err := l.Logo(t.Context(), "https://"+host+"/a.png")
		require.NoError(t, err)
		return got
	}
	require.Nil(t, look())
	require.Nil(t, look())
	require.Equal(t, 1, asked)
	now, broken = now.Add(triedFor), false
	require.NotNil(t, look())
	now, broken = now.Add(storedFor), true
	require.NotNil(t, look(), "an old logo is better than none")
	require.Equal(t, 3, asked)
}

func TestWhatIsNoLogoIsRefused(t *testing.T) {
	t.Parallel()
	huge := picture(t, 4, 4)
	copy(huge[16:24], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // 65,536 × 65,536 in the header
	check := crc32.ChecksumIEEE(huge[12:29])
	copy(huge[29:33], []byte{byte(check >> 24), byte(check >> 16), byte(check >> 8), byte(check)})
	var broad bytes.Buffer
	require.NoError(t, png.Encode(&broad, image.NewGray(image.Rect(0, 0, 2049, 2048)))) // small, whole, and one line too many
	for name, answer := range map[string]http.HandlerFunc{
		"broad": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(broad.Bytes()) },
		"another host of the list": func(w http.ResponseWriter, r *http.Request) {
			if r.Host == other {
				_, _ = w.Write(picture(t, 4, 4))
				return
			}
			http.Redirect(w, r, "https://"+other+"/a.png", http.StatusFound)
		},
		"svg": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg"/>`)
		},
		"page":    func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `<html><script>1</script>`) },
		"nothing": func(http.ResponseWriter, *http.Request) {},
		"bomb":    func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(huge) },
		"cut":     func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(picture(t, 90, 90)[:200]) },
		"not found": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write(picture(t, 4, 4))
		},
		"zipped": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(picture(t, 4, 4))
		},
		"large": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(append(picture(t, 4, 4), make([]byte, mostBytes)...))
		},
		"another host": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.example/a.png", http.StatusFound)
		},
		"down to http": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+host+"/a.png", http.StatusFound)
		},
		"inwards": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://169.254.169.254/", http.StatusFound)
		},
		"in circles": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.String(), http.StatusFound) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := world(t, answer).fetch(t.Context(), "https://"+host+"/a.png")
			require.Error(t, err)
		})
	}
}

// A browser that leaves while it waits takes the logo from nobody who waits for the same one.
func TestALogoComesThoughAnotherWhoWaitedForItLeft(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}, 2), make(chan struct{})
	l := world(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-answer:
		case <-r.Context().Done():
		}
		_, _ = w.Write(picture(t, 8, 8))
	})
	type got struct {
		picture []byte
		err     error
	}
	look := func(ctx context.Context) chan got {
		done := make(chan got, 1)
		go func() {
			seen, err := l.Logo(ctx, "https://"+host+"/a.png")
			done <- got{seen, err}
		}()
		return done
	}
	leaves, leave := context.WithCancel(t.Context())
	first := look(leaves)
	<-asked
	second := look(t.Context())
	time.Sleep(100 * time.Millisecond) // it waits for the first one's, which nothing shows
	leave()
	require.NoError(t, (<-first).err)
	close(answer)
	seen := <-second
	require.NoError(t, seen.err)
	require.NotNil(t, seen.picture)
}

func TestSlowServerIsLeft(t *testing.T) {
	t.Parallel()
	l := world(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	l.client.Timeout = 50 * time.Millisecond
	_, err := l.fetch(t.Context(), "https://"+host+"/a.png")
	require.Error(t, err)
}

func TestSameHostMayRedirect(t *testing.T) {
	t.Parallel()
	l := world(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/a.png" {
			http.Redirect(w, r, "/b.png", http.StatusFound)
			return
		}
		_, _ = w.Write(picture(t, 4, 4))
	})
	_, err := l.fetch(t.Context(), "https://"+host+"/a.png")
	require.NoError(t, err)
}

// The simulator's logos come over http from loopback, where the demo says so.
func TestSimulatorIsAskedInTheDemoAlone(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(picture(t, 4, 4)) }))
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	_, err := New(Deps{Simulator: address}).fetch(t.Context(), server.URL+"/a.png")
	require.NoError(t, err)
	_, err = New(Deps{Hosts: []string{host}}).fetch(t.Context(), server.URL+"/a.png")
	require.ErrorIs(t, err, errAddress)
	require.Error(t, New(Deps{Simulator: "10.0.0.1:80"}).check("http://10.0.0.1:80/a.png"), "loopback only")
}

func TestFormats(t *testing.T) {
	t.Parallel()
	img := image.NewPaletted(image.Rect(0, 0, 300, 7), color.Palette{color.White, color.Black})
	var j, g bytes.Buffer
	require.NoError(t, jpeg.Encode(&j, img, nil))
	require.NoError(t, gif.Encode(&g, img, nil))
	for _, body := range [][]byte{j.Bytes(), g.Bytes(), picture(t, 3, 2000)} {
		drawn, err := redraw(body)
		require.NoError(t, err)
		config, err := png.DecodeConfig(bytes.NewReader(drawn))
		require.NoError(t, err)
		require.Equal(t, Side, max(config.Width, config.Height), fmt.Sprint(config))
	}
}

func FuzzRedraw(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n"))
	f.Add([]byte("GIF89a"))
	f.Add([]byte("\xff\xd8\xff"))
	f.Fuzz(func(t *testing.T, body []byte) {
		drawn, err := redraw(body)
		if err != nil {
			return
		}
		config, err := png.DecodeConfig(bytes.NewReader(drawn))
		require.NoError(t, err)
		require.LessOrEqual(t, max(config.Width, config.Height), Side)
	})
}
