package mail_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"mime"
	"mime/multipart"
	"net"
	netmail "net/mail"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/mail"
)

var sentAt = time.Date(2026, 3, 31, 9, 0, 0, 0, time.UTC)

// taken is what a server was given.
type taken struct {
	from, user string
	to         []string
	body       string
	encrypted  bool
}

// post is a mail server with one account, which refuses whom it is told to.
type post struct {
	url    string
	roots  *x509.CertPool
	mails  chan taken
	hangUp bool // as soon as a mail is taken
	away   bool // for whoever comes once a mail is taken
}

const password = "correct horse"

func newPost(t *testing.T, scheme, query string) *post {
	t.Helper()
	p := &post{mails: make(chan taken, 10)}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		_, encrypted := c.TLSConnectionState()
		return &session{post: p, conn: c, mail: taken{encrypted: encrypted}}, nil
	}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	account := ""
	if query == "" {
		server.TLSConfig, p.roots = certificate(t)
		account = "till:" + strings.ReplaceAll(password, " ", "%20") + "@"
	}
	p.url = scheme + "://" + account + listener.Addr().String() + query
	if scheme == "smtps" {
		listener = tls.NewListener(listener, server.TLSConfig)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close(); <-done })
	return p
}

// certificate is one for this machine, signed by itself.
func certificate(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, roots
}

type session struct {
	post *post
	conn *smtp.Conn
	mail taken
}

// Reset comes with the end of each mail, after its answer.
func (s *session) Reset() {
	if s.post.hangUp && s.mail.body != "" {
		go s.conn.Close() // the caller holds its lock
	}
}

func (s *session) Logout() error          { return nil }
func (*session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, given string) error {
		if given != password {
			return smtp.ErrAuthFailed
		}
		s.mail.user = user
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.post.away && len(s.post.mails) > 0 {
		return &smtp.SMTPError{Code: 421, Message: "going down"}
	}
	s.mail.from = from
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody@") {
		return &smtp.SMTPError{Code: 550, Message: "no such mailbox: " + to}
	}
	if strings.HasPrefix(to, "full@") {
		return &smtp.SMTPError{Code: 452, Message: "mailbox full: " + to}
	}
	s.mail.to = append(s.mail.to, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	body, err := io.ReadAll(r)
	s.mail.body = string(body)
	s.post.mails <- s.mail
	return err
}

func (p *post) mailer(t *testing.T, url string) *mail.Mailer {
	t.Helper()
	m, err := mail.New(mail.Deps{URL: url, From: "airtill <till@example.com>", TLS: p.roots, Now: func() time.Time { return sentAt }})
	require.NoError(t, err)
	require.True(t, m.Configured())
	return m
}

func TestMailArrivesWithItsAttachments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, scheme, query string }{
		{"over to TLS", "smtp", ""}, {"TLS from the start", "smtps", ""}, {"on this machine", "smtp", "?tls=none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPost(t, c.scheme, c.query)
			require.NoError(t, p.mailer(t, p.url).Send(t.Context(), mail.Message{
				To: []string{"finance@example.com", "owner@example.com"}, Subject: "Float low – 12,00 €\r\nBcc: thief@example.com", Text: "Ça dure jusqu'à 16:40.",
				Attachments: []mail.Attachment{{Name: "sales.csv", Type: "text/csv", Body: []byte("a,b\r\n1,2\r\n")}},
			}))
			got := <-p.mails
			require.Equal(t, c.query == "", got.encrypted)
			require.Equal(t, c.query == "", got.user == "till")
			require.Equal(t, "till@example.com", got.from)
			require.Equal(t, []string{"finance@example.com", "owner@example.com"}, got.to)
			read, err := netmail.ReadMessage(strings.NewReader(got.body))
			require.NoError(t, err)
			subject, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
			require.NoError(t, err)
			require.Contains(t, subject, "Float low – 12,00 €")
			require.Empty(t, read.Header.Get("Bcc"), "a subject makes no headers")
			date, err := read.Header.Date()
			require.NoError(t, err)
			require.True(t, sentAt.Equal(date))
			_, params, err := mime.ParseMediaType(read.Header.Get("Content-Type"))
			require.NoError(t, err)
			parts := multipart.NewReader(read.Body, params["boundary"])
			text, err := parts.NextPart() // NextPart undoes quoted-printable
			require.NoError(t, err)
			body, err := io.ReadAll(text)
			require.NoError(t, err)
			require.Equal(t, "Ça dure jusqu'à 16:40.", strings.TrimSpace(string(body)))
			file, err := parts.NextPart()
			require.NoError(t, err)
			require.Equal(t, "sales.csv", file.FileName())
		})
	}
}

// An address that is no more, as of somebody who left, leaves the others told.
func TestAnAddressThatIsRefusedHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	p := newPost(t, "smtp", "")
	err := p.mailer(t, p.url).Send(t.Context(), mail.Message{
		To: []string{"finance@example.com", "nobody@example.com", "owner@example.com"}, Subject: "x", Text: "x",
	})
	require.ErrorIs(t, err, mail.ErrPartly)
	require.NotContains(t, err.Error(), "nobody@", "addresses are people")
	require.Equal(t, []string{"finance@example.com"}, (<-p.mails).to)
	require.Equal(t, []string{"owner@example.com"}, (<-p.mails).to)
	err = p.mailer(t, p.url).Send(t.Context(), mail.Message{To: []string{"nobody@example.com", "nobody@example.org"}, Subject: "x", Text: "x"})
	require.NotErrorIs(t, err, mail.ErrPartly)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.Empty(t, p.mails)
}

// An address refused for now, as one whose mailbox is full, is waited for only as long as the sender says.
func TestAnAddressThatIsRefusedForNowHoldsUpNoOtherForLong(t *testing.T) {
	t.Parallel()
	p := newPost(t, "smtp", "?tls=none")
	m := p.mailer(t, p.url)
	for _, to := range [][]string{
		{"full@example.com", "owner@example.com"}, {"nobody@example.com", "owner@example.com", "full@example.com"},
	} {
		message := mail.Message{To: to, Subject: "x", Text: "x", Wait: true}
		err := m.Send(t.Context(), message)
		require.Equal(t, fault.Unavailable, fault.KindOf(err), to)
		require.NotErrorIs(t, err, mail.ErrPartly, "it is tried again")
		require.Empty(t, p.mails, "and would come twice")
		message.Wait = false
		err = m.Send(t.Context(), message)
		require.ErrorIs(t, err, mail.ErrPartly, to)
		require.NotContains(t, err.Error(), "@", "addresses are people")
		require.Equal(t, []string{"owner@example.com"}, (<-p.mails).to)
		require.Empty(t, p.mails)
	}
	err := m.Send(t.Context(), mail.Message{To: []string{"nobody@example.com", "owner@example.com"}, Subject: "x", Text: "x", Wait: true})
	require.ErrorIs(t, err, mail.ErrPartly, "one refused for good is not waited for")
	require.Equal(t, []string{"owner@example.com"}, (<-p.mails).to)
	err = m.Send(t.Context(), mail.Message{To: []string{"full@example.com"}, Subject: "x", Text: "x"})
	require.NotErrorIs(t, err, mail.ErrPartly, "it went to nobody")
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
}

func TestMailThatIsNotTakenIsAnError(t *testing.T) {
	t.Parallel()
	p := newPost(t, "smtp", "")
	good := mail.Message{To: []string{"finance@example.com"}, Subject: "x", Text: "x"}

	err := p.mailer(t, p.url).Send(t.Context(), mail.Message{To: []string{"nobody@example.com"}, Subject: "x", Text: "x"})
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.NotContains(t, err.Error(), "nobody@", "addresses are people")

	err = p.mailer(t, strings.Replace(p.url, "correct", "wrong", 1)).Send(t.Context(), good)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.NotContains(t, err.Error(), "horse")

	err = p.mailer(t, p.url).Send(t.Context(), mail.Message{To: []string{"not an address"}, Subject: "x", Text: "x"})
	require.Equal(t, fault.Invalid, fault.KindOf(err))

	strangers := *p
	strangers.roots = x509.NewCertPool()
	require.Equal(t, fault.Unavailable, fault.KindOf(strangers.mailer(t, p.url).Send(t.Context(), good)), "a certificate nobody knows")

	plain := newPost(t, "smtp", "?tls=none")
	require.Equal(t, fault.Unavailable, fault.KindOf(plain.mailer(t, strings.TrimSuffix(plain.url, "?tls=none")).Send(t.Context(), good)), "a server that cannot encrypt gets nothing")
	require.Empty(t, plain.mails)
	require.Empty(t, p.mails)
}

// A server that hangs up once it has taken a mail, without the farewells of SMTP, has taken it: to send it again would
// have people get it again and again.
func TestAMailThatWasTakenIsSentThoughTheServerHangsUp(t *testing.T) {
	t.Parallel()
	p := newPost(t, "smtp", "?tls=none")
	p.hangUp = true
	require.NoError(t, p.mailer(t, p.url).Send(t.Context(), mail.Message{To: []string{"finance@example.com"}, Subject: "x", Text: "x"}))
	require.Len(t, p.mails, 1)
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	m, err := mail.New(mail.Deps{Now: time.Now})
	require.NoError(t, err)
	require.False(t, m.Configured())
	require.ErrorIs(t, m.Send(t.Context(), mail.Message{}), mail.ErrNoServer)
}

func TestServersThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"mail.example.com:25", "http://mail.example.com", "smtp://", "smtp://till:hush@mail.example.com/path", "smtp://till:hush@mail.example.com:x",
		"smtp://mail.example.com?tls=none", "smtp://till:hush@127.0.0.1?tls=none", "smtp://till:hush@ho st",
	} {
		_, err := mail.New(mail.Deps{URL: url, From: "till@example.com", Now: time.Now})
		require.Error(t, err, url)
		require.NotContains(t, err.Error(), "hush")
	}
	_, err := mail.New(mail.Deps{URL: "smtp://mail.example.com", From: "nobody", Now: time.Now})
	require.ErrorContains(t, err, "MAIL_FROM")
}

func TestAServerThatSaysNothingIsWaitedForAsLongAsAsked(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second)) // hangs up on whoever waits longer than asked
		_, _ = io.Copy(io.Discard, conn)
		_ = conn.Close()
	}()
	m, err := mail.New(mail.Deps{
		URL: "smtp://" + listener.Addr().String() + "?tls=none", From: "till@example.com", Now: time.Now,
	})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, m.Check(ctx), os.ErrDeadlineExceeded)
}

func TestCheckSignsInAndSendsNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ scheme, query string }{{"smtp", ""}, {"smtps", ""}, {"smtp", "?tls=none"}} {
		p := newPost(t, c.scheme, c.query)
		require.NoError(t, p.mailer(t, p.url).Check(t.Context()))
		require.Empty(t, p.mails)
	}
	p := newPost(t, "smtp", "")
	err := p.mailer(t, strings.Replace(p.url, "correct", "wrong", 1)).Check(t.Context())
	require.ErrorContains(t, err, "SMTP_URL must name")
	require.NotContains(t, err.Error(), "horse")
	p.roots = x509.NewCertPool()
	require.ErrorContains(t, p.mailer(t, p.url).Check(t.Context()), "certificate")
}

func TestWhoWasNotReachedIsTriedAgain(t *testing.T) {
	t.Parallel()
	p := newPost(t, "smtp", "?tls=none")
	p.away = true
	err := p.mailer(t, p.url).Send(t.Context(), mail.Message{
		To: []string{"owner@example.com", "full@example.com", "finance@example.com"}, Subject: "x", Text: "x",
	})
	require.Equal(t, []string{"owner@example.com"}, (<-p.mails).to)
	require.NotErrorIs(t, err, mail.ErrPartly, "nobody would try finance again")
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
}

// With many addresses a server that takes its time would otherwise be left in the middle: those who have the mail would
// get it at each try, and the last never.
func TestEachAddressIsGivenTheTimeOfAMail(t *testing.T) {
	t.Parallel()
	p := newPost(t, "smtp", "?tls=none")
	var began, ends []time.Time
	m, err := mail.New(mail.Deps{
		URL: strings.Replace(p.url, "127.0.0.1", "localhost", 1), From: "till@example.com", Now: time.Now,
		Resolve: func(ctx context.Context, _ string) ([]netip.Addr, error) {
			end, _ := ctx.Deadline()
			began, ends = append(began, time.Now()), append(ends, end)
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
	})
	require.NoError(t, err)
	err = m.Send(t.Context(), mail.Message{
		To: []string{"finance@example.com", "nobody@example.com", "owner@example.com"}, Subject: "x", Text: "x",
	})
	require.ErrorIs(t, err, mail.ErrPartly)
	require.Len(t, ends, 4, "all together, then one by one")
	for i, end := range ends[1:] {
		require.False(t, end.Before(began[i].Add(30*time.Second)), "connection %d has 30 s from after the one before", i+2)
	}
}
