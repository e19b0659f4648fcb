// Package mail hands messages to an SMTP server. It stores and repeats nothing: senders are jobs, whose queue
// tries again.
package mail

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	netmail "net/mail"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"

	"airtill/internal/dial"
	"airtill/internal/fault"
)

// Deps is what a Mailer needs.
type Deps struct {
	// URL names the server: smtp://user:password@host:587 switches to TLS before anything else,
	// smtps://user:password@host:465 begins with it. Without TLS only on this machine:
	// smtp://127.0.0.1:25?tls=none. "": no server.
	URL  string
	From string         // the sender, like "airtill <till@example.com>"
	TLS  *x509.CertPool // who may sign the server's certificate; nil: the system's
	Now  func() time.Time
	// Resolve finds the server's addresses; nil: the system's.
	Resolve dial.Resolve
}

// Mailer sends.
type Mailer struct {
	client *gomail.Client // nil: no server
	from   string
	now    func() time.Time
}

// Message is one mail.
type Message struct {
	To          []string
	Subject     string // line breaks in it do not begin headers
	Text        string // plain
	Attachments []Attachment
	// Wait sends it to nobody while an address is refused for now: the sender tries again. Otherwise the others get it.
	Wait bool
}

// Attachment is a file sent with a message.
type Attachment struct {
	Name string // with its extension, like report.pdf
	Type string // like application/pdf
	Body []byte
}

// sendWithin bounds one message with its attachments.
const sendWithin = 30 * time.Second

// ErrNoServer is what Send returns if no mail server is configured.
var ErrNoServer = fault.New(fault.Unavailable, "mail.not-set-up")

// ErrPartly is what Send returns if the server refused some addresses, for good or for longer than is waited, and the
// others have the message: sending it again would only repeat it.
var ErrPartly = fault.New(fault.Unavailable, "mail.partly")

// New returns a mailer, without connecting. It fails if the address of the server or the sender cannot be
// read; the error holds no password.
func New(d Deps) (*Mailer, error) {
	m := &Mailer{from: d.From, now: d.Now}
	if d.URL == "" {
		return m, nil
	}
	if _, err := netmail.ParseAddress(d.From); err != nil {
		return nil, errors.New("MAIL_FROM must be the sender's address, like airtill <till@example.com>")
	}
	server, err := readServer(d.URL)
	if err != nil {
		return nil, err
	}
	if m.client, err = gomail.NewClient(server.host, server.options(d)...); err != nil {
		return nil, fmt.Errorf("mail server %s: %w", server.host, err)
	}
	return m, nil
}

// Configured says whether there is a server to send through.
func (m *Mailer) Configured() bool { return m.client != nil }

// Send hands one message to the server and returns once the server has taken it. It fails with fault.Invalid
// on an address that is none, with ErrPartly if some are refused, otherwise with fault.Unavailable, which may mean
// that the server took it all the same.
func (m *Mailer) Send(ctx context.Context, message Message) error {
	if m.client == nil {
		return ErrNoServer
	}
	err := m.send(ctx, message)
	if len(message.To) < 2 || message.Wait && errors.Is(err, errFull) || !errors.Is(err, errAddress) {
		return err
	}
	return m.sendEach(ctx, message)
}

// Check connects to the server and signs in, as Send does, and sends nothing.
func (m *Mailer) Check(ctx context.Context) error {
	if m.client == nil {
		return ErrNoServer
	}
	connection, err := m.client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return fmt.Errorf("%w; SMTP_URL must name the server, its port, its way to TLS, the user and the password", err)
	}
	_ = m.client.CloseWithSMTPClient(connection) // it has let the till in
	return nil
}

// send tells nothing of what fails once the server has taken the message: it would be sent again.
func (m *Mailer) send(ctx context.Context, message Message) error {
	written, err := m.write(message)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	if err := m.client.DialAndSendWithContext(ctx, written); err != nil && !written.IsDelivered() {
		return fault.Wrap(anonymous(err), fault.Unavailable, "mail.refused")
	}
	return nil
}

// sendEach sends to each address alone: with one that a server refuses, it takes the message for none. If the server
// goes away meanwhile, that is no ErrPartly: better some get the message twice than others never.
func (m *Mailer) sendEach(ctx context.Context, message Message) error {
	all := message.To
	var failed []error
	notReached := false
	for _, to := range all {
		message.To = []string{to}
		if err := m.send(ctx, message); err != nil {
			failed = append(failed, err)
			notReached = notReached || !errors.Is(err, errAddress)
		}
	}
	err := errors.Join(failed...)
	switch {
	case len(failed) == 0:
		return nil
	case len(failed) == len(all) || notReached:
		return err
	default:
		return fmt.Errorf("%w: %w", ErrPartly, err)
	}
}

func (m *Mailer) write(message Message) (*gomail.Msg, error) {
	written := gomail.NewMsg()
	if err := errors.Join(written.From(m.from), written.To(message.To...)); err != nil || len(message.To) == 0 {
		return nil, fault.OnField("to", "mail.address")
	}
	written.Subject(message.Subject)
	written.SetDateWithValue(m.now())
	written.SetMessageID()
	written.SetGenHeader("Auto-Submitted", "auto-generated") // no holiday replies
	written.SetBodyString(gomail.TypeTextPlain, message.Text)
	for _, a := range message.Attachments {
		if err := written.AttachReader(
			a.Name, bytes.NewReader(a.Body), gomail.WithFileContentType(gomail.ContentType(a.Type)),
		); err != nil {
			return nil, fmt.Errorf("attach to mail: %w", err)
		}
	}
	return written, nil
}

// errAddress is in the error of a message that was refused for an address of it; errFull too if one may take it later.
var (
	errAddress = errors.New("address refused")
	errFull    = fmt.Errorf("%w for now", errAddress)
)

// anonymous says how a server refused, without the addresses repeated in its answer.
func anonymous(err error) error {
	var refused *gomail.SendError
	if !errors.As(err, &refused) {
		return fmt.Errorf("send mail: %w", err)
	}
	err = fmt.Errorf("send mail: %s, code %d", refused.Reason, refused.ErrorCode())
	switch {
	case refused.Reason != gomail.ErrSMTPRcptTo:
		return err
	case refused.IsTemp():
		return fmt.Errorf("%w: %w", errFull, err)
	}
	return fmt.Errorf("%w: %w", errAddress, err)
}

// server is the parsed address of a mail server.
type server struct {
	host, user, password string
	port                 int
	tls                  gomail.TLSPolicy
	wholeTLS             bool // connect begins it, before anything is said
}

var errServer = errors.New(
	"SMTP_URL cannot be read; write it like smtp://user:password@mail.example.com:587 or " +
		"smtps://user:password@mail.example.com:465",
)

func readServer(address string) (server, error) {
	u, err := dial.Address(address, "smtp", "smtps")
	if err != nil {
		return server{}, fmt.Errorf("%w: %w", errServer, err)
	}
	if u.Path != "" && u.Path != "/" {
		return server{}, errServer
	}
	s := server{host: u.Hostname(), user: u.User.Username(), port: 587, tls: gomail.TLSMandatory}
	s.password, _ = u.User.Password()
	switch {
	case u.Scheme == "smtps":
		s.port, s.tls, s.wholeTLS = 465, gomail.TLSOpportunistic, true
	case u.Query().Get("tls") == "none":
		s.tls = gomail.NoTLS
	}
	if u.Port() != "" {
		if s.port, err = strconv.Atoi(u.Port()); err != nil {
			return server{}, errServer
		}
	}
	if s.tls == gomail.NoTLS && (!dial.ThisMachine(s.host) || s.user != "") {
		return server{}, errors.New("SMTP_URL: tls=none is for a server on this machine, without a password")
	}
	return s, nil
}

func (s server) options(d Deps) []gomail.Option {
	encrypted := &tls.Config{ServerName: s.host, RootCAs: d.TLS, MinVersion: tls.VersionTLS12}
	options := []gomail.Option{
		gomail.WithPort(s.port), gomail.WithTimeout(sendWithin), gomail.WithTLSConfig(encrypted),
		gomail.WithDialContextFunc(s.connect(d.Resolve, encrypted)), gomail.WithTLSPolicy(s.tls),
	}
	if s.user != "" {
		options = append(
			options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.user),
			gomail.WithPassword(s.password),
		)
	}
	return options
}
