package reports

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/text/language"

	"airtill/internal/fault"
	"airtill/internal/mail"
	"airtill/internal/report"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// MailReport writes the message of a scheduled report, with its owner's present rights.
func (s *Screens) MailReport(ctx context.Context, m report.Mailing) (mail.Message, error) {
	user, err := s.D.Staff.User(ctx, m.UserID)
	if err != nil {
		return mail.Message{}, err
	}
	if !user.Can(staff.ViewReports) {
		return mail.Message{}, fault.New(fault.Forbidden, "mailing.not-allowed")
	}
	from, to, err := m.Period()
	if err != nil {
		return mail.Message{}, err
	}
	zone, err := staff.ZoneOf(m.Zone)
	if err != nil {
		return mail.Message{}, err
	}
	a, err := s.askAt(ctx, user, zone, m.Path, from, to)
	if err == nil {
		err = a.problem
	}
	if err != nil {
		return mail.Message{}, err
	}
	l := locale.New(language.Make(m.Language), zone)
	found, err := s.answerReport(ctx, l, a)
	if err != nil {
		return mail.Message{}, err
	}
	return s.reportMessage(a, found, l, m.Format)
}

func (s *Screens) reportMessage(a ask, found figures, l locale.Locale, format string) (mail.Message, error) {
	file := frame.Printable(l, format)
	var body bytes.Buffer
	if err := frame.WriteSheet(&body, s.reportSheet(a, found, file), file, format); err != nil {
		return mail.Message{}, err
	}
	text := a.kind.title(l) + "\n" + strings.Join(a.about(l, found.names), "\n") + "\n"
	for _, total := range a.table(l, found).totals {
		for _, c := range a.kind.columns {
			text += l.Text(c.name) + ": " + c.of(total.Row).In(frame.WordsOf(l)) + "\n"
		}
	}
	return mail.Message{
		Subject: a.kind.title(l) + ", " + frame.PeriodText(l, a.from, a.to), Text: text,
		Attachments: []mail.Attachment{
			{Name: a.fileName() + "." + format, Type: frame.ContentTypes[format], Body: body.Bytes()},
		},
	}, nil
}

// askAt reads a report's address for an absent user, over another period.
func (s *Screens) askAt(
	ctx context.Context, user staff.User, zone *time.Location, path string, from, to report.Day,
) (ask, error) {
	kind, values, err := reportAt(path, user)
	if err != nil {
		return ask{}, err
	}
	shops, err := s.D.Staff.Shops(ctx)
	if err != nil {
		return ask{}, err
	}
	values.Set("from", from.String())
	values.Set("to", (to - 1).String())
	seen := slices.DeleteFunc(shops, func(shop staff.Shop) bool { return !user.Sees(shop.ID) })
	return s.askOf(kind, values, seen, zone, user.ShopID == "")
}

// ScheduleReport is POST /reports/mailings (fields path, recipients, every, hour,
// format).
func (s *Screens) ScheduleReport(c *gin.Context) error {
	ctx, l := c.Request.Context(), s.LocaleOf(c.Request)
	p := frame.Present(c)
	hour, err := strconv.Atoi(c.PostForm("hour"))
	if err != nil {
		hour = -1
	}
	m := report.Mailing{
		UserID: p.User.ID, Path: c.PostForm("path"), Recipients: c.PostForm("recipients"), Every: c.PostForm("every"),
		Format: c.PostForm("format"),
		Hour:   hour, Zone: l.Zone().String(), Language: l.Language(),
	}
	kind, values, err := reportAt(m.Path, p.User)
	if err != nil {
		return err
	}
	if !s.D.Report.CanMail() {
		return mail.ErrNoServer
	}
	err = s.D.Report.Schedule(ctx, p.Actor(), m)
	switch {
	case fault.KindOf(err) == fault.Invalid:
		return s.refuseBeside(c, kind, values, func(a *ask) { a.mailing, a.mailProblem = m, err })
	case err != nil:
		return err
	}
	return frame.Redirect(c, m.Path)
}

// EndMailing is POST /reports/mailings/:id/delete.
func (s *Screens) EndMailing(c *gin.Context) error {
	p := frame.Present(c)
	err := s.D.Report.EndMailing(c.Request.Context(), p.Actor(), p.User.ID, c.Param("id"))
	return frame.Then(c, err, "/reports/sales")
}

// usualHour is when reports are sent unless another hour is chosen.
const usualHour = 7

// mailForm schedules a report, and lists what is scheduled.
func (s *Screens) mailForm(ctx context.Context, l locale.Locale, a ask, u staff.User) (templates.MailForm, error) {
	form := templates.MailForm{
		Possible: s.D.Report.CanMail(), Recipients: a.mailing.Recipients, Problem: l.Fault(a.mailProblem),
		Field: fault.FieldOf(a.mailProblem),
	}
	chosen := a.mailing
	if a.mailProblem == nil {
		chosen = report.Mailing{Every: "week", Hour: usualHour, Format: "pdf"}
	}
	every := frame.Choices(frame.MailEvery, func(every string) (string, string) {
		return every, l.Text("mailing." + every)
	})
	hours := make([]templates.Choice, 24)
	for hour := range hours {
		hours[hour] = templates.Choice{Value: strconv.Itoa(hour), Text: hourName(l, hour)}
	}
	formats := frame.Choices(frame.ExportFormats, func(format string) (string, string) {
		return format, strings.ToUpper(format)
	})
	form.Lists = []templates.Pick{
		{Name: "every", Text: l.Text("mailing.every"), Chosen: chosen.Every, Choices: every},
		{Name: "hour", Text: l.Text("mailing.hour"), Chosen: strconv.Itoa(chosen.Hour), Choices: hours},
		{Name: "format", Text: l.Text("mailing.format"), Chosen: chosen.Format, Choices: formats},
	}
	mailings, err := s.D.Report.Mailings(ctx, u.ID)
	for _, m := range mailings {
		form.Sent = append(form.Sent, mailLine(l, m, u))
	}
	return form, err
}

func mailLine(l locale.Locale, m report.Mailing, u staff.User) templates.MailLine {
	line := templates.MailLine{
		ID: m.ID, URL: m.Path, To: strings.Join(m.To(), ", "), Next: l.Text("mailing.next", l.DateTime(m.NextAt)),
		Problem: l.Noted(m.Problem), Name: m.Path,
	}
	if kind, _, err := reportAt(m.Path, u); err == nil {
		line.Name = kind.title(l)
	}
	if slices.Contains(frame.MailEvery, m.Every) {
		line.Name += ", " + l.Text("mailing."+m.Every)
	}
	return line
}
