package office

import (
	"strings"
	"time"

	"airtill/internal/health"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// tones are the tones of marks.
var tones = map[health.Mark]string{health.Good: frame.ToneGood, health.Look: frame.ToneLook, health.Bad: frame.ToneBad}

// part is a line of the health page; name is a key.
func part(l locale.Locale, name string, mark health.Mark, note string) templates.Figure {
	return templates.Figure{Name: l.Text(name), Value: l.Text("health." + string(mark)), Note: note, Tone: tones[mark]}
}

func (v vitals) booksPart(l locale.Locale) templates.Figure {
	mark, why := v.Books()
	switch why {
	case health.NeverVerified:
		return part(l, "health.books", mark, l.Text("health.verifyNever"))
	case health.Broken:
		broken := 0
		for _, f := range v.Run.Findings {
			broken += f.Broken()
		}
		return part(
			l, "health.books", mark, l.Text("health.verifyBroken", l.DateTime(v.Run.EndedAt), l.Number(int64(broken))),
		)
	default:
		return part(l, "health.books", mark, l.Text("health."+string(why), l.DateTime(v.Run.EndedAt)))
	}
}

func (v vitals) databasePart(l locale.Locale) templates.Figure {
	mark, why := v.Store()
	return part(l, "health.database", mark, l.Text("health."+string(why)))
}

func (v vitals) redisPart(l locale.Locale) templates.Figure {
	mark, why := v.Shared()
	return part(l, "health.redis", mark, l.Text("health."+string(why)))
}

func (v vitals) upstreamPart(l locale.Locale) templates.Figure {
	mark, why := v.Upstream()
	note := l.Text("health.upstreamNever")
	if why != health.NeverAnswered {
		note = l.Text("health.upstreamLast", l.DateTime(v.Counts.Answered))
	}
	if why == health.OtherTime {
		note += " " + l.Text("health.upstreamTime", l.Number(int64(v.Counts.Ahead.Abs()/time.Minute)))
	}
	if v.Counts.Token > 0 {
		note += " " + l.Text("health.token", l.Number(int64(v.Counts.Token/time.Minute)))
	}
	return part(l, "health.upstream", mark, note)
}

func (v vitals) cataloguePart(l locale.Locale) templates.Figure {
	mark, why := v.Catalogue()
	note := l.Text("health.catalogueNever")
	if why == health.CatalogueAsOf {
		note = l.Text("health.catalogueAsOf", l.DateTime(v.PricesAt))
	}
	return part(l, "health.catalogue", mark, note)
}

func (v vitals) jobsPart(l locale.Locale) templates.Figure {
	if len(v.GivenUp) == 0 {
		return part(l, "health.jobs", health.Good, l.Text("health.jobsGood"))
	}
	var failed []string
	for _, j := range v.GivenUp {
		failed = append(failed, l.Job(j.Kind)+" ("+l.Number(int64(j.Count))+")")
	}
	return part(l, "health.jobs", health.Look, l.Text("health.jobsFailed", strings.Join(failed, ", ")))
}

func (v vitals) webhooksPart(l locale.Locale) templates.Figure {
	var refused int64
	for _, n := range v.Refused {
		refused += n
	}
	if refused == 0 {
		return part(l, "health.webhooks", health.Good, l.Text("health.webhooksGood"))
	}
	return part(l, "health.webhooks", health.Look, l.Text("health.webhooksRefused", l.Number(refused)))
}
