package office

import (
	"strings"
	"time"

	"airtill/internal/counter"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

func part(name, value, note, tone string) templates.Figure {
	return templates.Figure{Name: name, Value: value, Note: note, Tone: tone}
}

func toneWord(l locale.Locale, tone string) string {
	switch tone {
	case frame.ToneGood:
		return l.Text("health.good")
	case frame.ToneLook:
		return l.Text("health.look")
	}
	return l.Text("health.bad")
}

func (v vitals) booksPart(l locale.Locale, now time.Time) templates.Figure {
	tone, note := frame.ToneGood, ""
	switch {
	case v.run == nil:
		tone, note = frame.ToneLook, l.Text("health.verifyNever")
	case !v.run.Holds:
		broken := 0
		for _, f := range v.run.Findings {
			broken += f.Broken()
		}
		tone, note = frame.ToneBad, l.Text("health.verifyBroken", l.DateTime(v.run.EndedAt), l.Number(int64(broken)))
	case now.Sub(v.run.EndedAt) > verifiedWithin:
		tone, note = frame.ToneLook, l.Text("health.verifyOld", l.DateTime(v.run.EndedAt))
	default:
		note = l.Text("health.verified", l.DateTime(v.run.EndedAt))
	}
	return part(l.Text("health.books"), toneWord(l, tone), note, tone)
}

func answering(l locale.Locale, name string, err error) templates.Figure {
	if err != nil {
		return part(name, toneWord(l, frame.ToneBad), l.Text("health.noAnswer"), frame.ToneBad)
	}
	return part(name, toneWord(l, frame.ToneGood), l.Text("health.answers"), frame.ToneGood)
}

func (v vitals) databasePart(l locale.Locale) templates.Figure {
	if v.database == nil && v.writes != nil {
		return part(l.Text("health.database"), toneWord(l, frame.ToneBad), l.Text("health.noWrites"), frame.ToneBad)
	}
	return answering(l, l.Text("health.database"), v.database)
}

func (v vitals) redisPart(l locale.Locale) templates.Figure {
	if v.alone {
		return part(l.Text("health.redis"), toneWord(l, frame.ToneGood), l.Text("health.alone"), frame.ToneGood)
	}
	return answering(l, l.Text("health.redis"), v.redis)
}

// upstreamPart goes by the last answer that this process got.
func (s *Screens) upstreamPart(l locale.Locale, n frame.Counts, now time.Time) templates.Figure {
	tone, note := frame.ToneGood, ""
	switch {
	case n.Answered.IsZero():
		tone, note = frame.ToneLook, l.Text("health.upstreamNever")
	case now.Sub(n.Answered) > counter.StoppedAfter:
		tone, note = frame.ToneBad, l.Text("health.upstreamLast", l.DateTime(n.Answered))
	default:
		note = l.Text("health.upstreamLast", l.DateTime(n.Answered))
	}
	if n.Token > 0 {
		note += " " + l.Text("health.token", l.Number(int64(n.Token/time.Minute)))
	}
	return part(l.Text("health.upstream"), toneWord(l, tone), note, tone)
}

func (s *Screens) cataloguePart(l locale.Locale, now time.Time) templates.Figure {
	asOf := s.D.Catalog.Current().PricesAsOf()
	tone, note := frame.ToneGood, l.Text("health.catalogueAsOf", l.DateTime(asOf))
	switch {
	case asOf.IsZero():
		tone, note = frame.ToneBad, l.Text("health.catalogueNever")
	case now.Sub(asOf) > frame.PricesOldAfter:
		tone = frame.ToneLook
	}
	return part(l.Text("health.catalogue"), toneWord(l, tone), note, tone)
}

func (v vitals) jobsPart(l locale.Locale) templates.Figure {
	if len(v.givenUp) == 0 {
		return part(l.Text("health.jobs"), toneWord(l, frame.ToneGood), l.Text("health.jobsGood"), frame.ToneGood)
	}
	var failed []string
	for _, j := range v.givenUp {
		failed = append(failed, l.Job(j.Kind)+" ("+l.Number(int64(j.Count))+")")
	}
	return part(l.Text("health.jobs"), toneWord(l, frame.ToneLook), l.Text("health.jobsFailed", strings.Join(failed, ", ")), frame.ToneLook)
}

func (v vitals) webhooksPart(l locale.Locale) templates.Figure {
	var refused int64
	for _, n := range v.refused {
		refused += n
	}
	if refused == 0 {
		return part(l.Text("health.webhooks"), toneWord(l, frame.ToneGood), l.Text("health.webhooksGood"), frame.ToneGood)
	}
	return part(l.Text("health.webhooks"), toneWord(l, frame.ToneLook), l.Text("health.webhooksRefused", l.Number(refused)), frame.ToneLook)
}
