package frame

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/forecast"
	"airtill/internal/money"
	"airtill/web/locale"
)

// TestTheForecastInEveryLanguage: each state of it. What sets numbers apart from the
// direction of Arabic is shown as [ and ], what turns a date from the right as <.
func TestTheForecastInEveryLanguage(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	soonest, at, latest := now.Add(3*time.Hour), now.Add(4*time.Hour+40*time.Minute), now.Add(27*time.Hour)
	known := forecast.Runway{Known: true, At: at, Soonest: soonest, Latest: latest, Error: 18, Trials: 98}
	tried := func(times, off int) forecast.Runway {
		r := known
		r.Beyond, r.Trials, r.Error = true, times, off
		return r
	}
	late, tomorrow := known, known
	late.Latest = time.Time{}
	tomorrow.At = latest
	float := money.MustParse("500", "EUR")
	for tag, states := range map[string][]struct {
		float       money.Amount
		r           forecast.Runway
		value, note string
	}{
		"en": {
			{float, forecast.Runway{}, "Not known yet", "It takes two weeks of sales to tell."},
			{money.Amount{}, known, "Used up", "Nothing can be sold until the float is topped up."},
			{money.MustParse("-1", "EUR"), forecast.Runway{}, "Used up", "Nothing can be sold until the float is topped up."},
			{float, known, "about 16:40", "Between 15:00 and 1 Apr 2026, 15:00. In 98 tests on past days it was wrong by at most 18% half of the time."},
			{float, tomorrow, "about 1 Apr 2026, 15:00", "Between 15:00 and 1 Apr 2026, 15:00. In 98 tests on past days it was wrong by at most 18% half of the time."},
			{float, late, "about 16:40", "Not before 15:00, perhaps in more than a week. In 98 tests on past days it was wrong by at most 18% half of the time."},
			{float, tried(1, 0), "Longer than a week", "In 1 test on past days it was wrong by at most 0% half of the time."},
			{float, tried(0, 0), "Longer than a week", "How exact this is, is not known yet: there are no past days to test it on."},
		},
		"fr": {
			{float, forecast.Runway{}, "Pas encore connu", "Il faut deux semaines de ventes pour le dire."},
			{money.Amount{}, known, "Épuisé", "Rien ne peut être vendu avant que le solde soit réapprovisionné."},
			{float, known, "environ 16:40", "Au plus tôt 15:00, au plus tard 1 avr. 2026, 15:00. En 98 essais sur des jours passés, l’écart était de 18\u00a0% au plus dans la moitié des cas."},
			{float, tomorrow, "environ 1 avr. 2026, 15:00", "Au plus tôt 15:00, au plus tard 1 avr. 2026, 15:00. En 98 essais sur des jours passés, l’écart était de 18\u00a0% au plus dans la moitié des cas."},
			{float, late, "environ 16:40", "Pas avant 15:00, peut-être dans plus d’une semaine seulement. En 98 essais sur des jours passés, l’écart était de 18\u00a0% au plus dans la moitié des cas."},
			{float, tried(1, 0), "Plus d’une semaine", "En 1 essai sur des jours passés, l’écart était de 0\u00a0% au plus dans la moitié des cas."},
			{float, tried(0, 0), "Plus d’une semaine", "On ne sait pas encore à quel point c’est exact\u00a0: il n’y a pas de jours passés pour l’essayer."},
		},
		"es": {
			{float, forecast.Runway{}, "Aún no se sabe", "Hacen falta dos semanas de ventas para saberlo."},
			{money.Amount{}, known, "Agotado", "No se puede vender nada hasta que se recargue el saldo."},
			{float, known, "aprox. 16:40", "Como pronto 15:00, como muy tarde 1 abr 2026, 15:00. En 98 pruebas con días pasados, el error fue del 18\u00a0% como máximo en la mitad de los casos."},
			{float, tomorrow, "aprox. 1 abr 2026, 15:00", "Como pronto 15:00, como muy tarde 1 abr 2026, 15:00. En 98 pruebas con días pasados, el error fue del 18\u00a0% como máximo en la mitad de los casos."},
			{float, late, "aprox. 16:40", "No antes de 15:00, quizá solo dentro de más de una semana. En 98 pruebas con días pasados, el error fue del 18\u00a0% como máximo en la mitad de los casos."},
			{float, tried(1, 0), "Más de una semana", "En 1 prueba con días pasados, el error fue del 0\u00a0% como máximo en la mitad de los casos."},
			{float, tried(0, 0), "Más de una semana", "Aún no se sabe qué error puede tener la previsión: no hay días pasados con los que probarla."},
		},
		"ar": {
			{float, forecast.Runway{}, "غير معروف بعد", "يلزم أسبوعان من المبيعات لمعرفة ذلك."},
			{money.Amount{}, known, "نفد", "لا يمكن بيع شيء حتى تتم تعبئة الرصيد."},
			{float, known, "حوالي [١٦:٤٠]", "في أقرب تقدير [١٥:٠٠]، وفي أبعد تقدير [<[<١ [أبريل] ٢٠٢٦]، [١٥:٠٠]]. في [[٩٨] تجربة] على أيام مضت لم يتجاوز الخطأ [١٨]٪ في نصف الحالات."},
			{float, tomorrow, "حوالي [<[<١ [أبريل] ٢٠٢٦]، [١٥:٠٠]]", "في أقرب تقدير [١٥:٠٠]، وفي أبعد تقدير [<[<١ [أبريل] ٢٠٢٦]، [١٥:٠٠]]. في [[٩٨] تجربة] على أيام مضت لم يتجاوز الخطأ [١٨]٪ في نصف الحالات."},
			{float, late, "حوالي [١٦:٤٠]", "ليس قبل [١٥:٠٠]، وربما بعد أكثر من أسبوع. في [[٩٨] تجربة] على أيام مضت لم يتجاوز الخطأ [١٨]٪ في نصف الحالات."},
			{float, tried(1, 0), "أكثر من أسبوع", "في [تجربة واحدة] على أيام مضت لم يتجاوز الخطأ [٠]٪ في نصف الحالات."},
			{float, tried(2, 7), "أكثر من أسبوع", "في [تجربتين] على أيام مضت لم يتجاوز الخطأ [٧]٪ في نصف الحالات."},
			{float, tried(5, 7), "أكثر من أسبوع", "في [[٥] تجارب] على أيام مضت لم يتجاوز الخطأ [٧]٪ في نصف الحالات."},
			{float, tried(0, 0), "أكثر من أسبوع", "لا يُعرف بعد كم قد يخطئ هذا التقدير: لا يوجد يوم مضى يمكن تجربته عليه."},
		},
	} {
		l := locale.New(language.MustParse(tag), time.UTC)
		signs := strings.NewReplacer("\u2067", "[", "\u2068", "[", "\u2069", "]", "\u200f", "<")
		for _, state := range states {
			figure := runwayText(l, now, state.float, state.r)
			require.Equal(t, state.value, signs.Replace(figure.Value), tag)
			require.Equal(t, state.note, signs.Replace(figure.Note), tag)
		}
	}
}

// TestAForecastThatWasNeverTriedSaysSo: two weeks tell of today, and of no day that is
// over. That none was off is not what is known of it.
func TestAForecastThatWasNeverTriedSaysSo(t *testing.T) {
	t.Parallel()
	d := forecast.Days{}
	d.Today = len(d.Spent) - 1
	for _, day := range []int{d.Today - 14, d.Today - 7} {
		for hour := range d.Spent[day] {
			d.Spent[day][hour] = money.Scale
		}
	}
	l := locale.New(language.English, time.UTC)
	now := time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	for float, want := range map[int64]string{3: "about 15:00", 1000: "Longer than a week"} {
		figure := runwayText(l, now, money.Of(float*money.Scale, "EUR"), forecast.Predict(now, float*money.Scale, d))
		require.Equal(t, want, figure.Value)
		require.Equal(t, "How exact this is, is not known yet: there are no past days to test it on.", figure.Note)
	}
}
