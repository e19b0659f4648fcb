package catalogue

import (
	"strconv"
	"strings"
)

// Languages lists the languages of localized texts; English is always there.
func Languages() []string { return []string{"en", "es", "fr", "ar", "pt", "hi", "ru", "zh"} }

// phrases are the texts of a kind of product in one language. {brand} and
// {value} are filled in.
type phrases struct{ display, description, more string }

// wording returns the phrases of a kind of product by language.
func wording(what string) map[string]phrases {
	switch what {
	case "data", "internet":
		return map[string]phrases{
			"en": {"{value} of data", "**{value}** of mobile data on {brand}.\n\n- Starts at once\n- Unused data lapses", "Check what is left with `*102#`. See [the terms](https://example.com/terms)."},
			"es": {"{value} de datos", "**{value}** de datos móviles en {brand}.\n\n- Empieza al momento\n- Los datos sin usar caducan", "Consulta el saldo con `*102#`."},
			"fr": {"{value} d'Internet", "**{value}** de données mobiles chez {brand}.\n\n- Actif aussitôt\n- Le reste expire", "Suivi de consommation : `*102#`."},
			"ar": {"{value} بيانات", "**{value}** بيانات للهاتف من {brand}.\n\n- تبدأ فورًا", "لمعرفة الرصيد اطلب `*102#`."},
			"pt": {"{value} de dados", "**{value}** de dados móveis na {brand}.\n\n- Começa na hora\n- O que sobra expira", "Consulte o saldo com `*102#`."},
			"hi": {"{value} डेटा", "{brand} पर **{value}** मोबाइल डेटा।\n\n- तुरंत शुरू", "बचा हुआ डेटा जानने के लिए `*102#` डायल करें।"},
			"ru": {"{value} интернета", "**{value}** мобильного интернета {brand}.\n\n- Действует сразу", "Остаток: `*102#`."},
			"zh": {"{value} 流量", "{brand} **{value}** 移动流量。\n\n- 立即生效", "拨打 `*102#` 查询余量。"},
		}
	case "bundle":
		return map[string]phrases{
			"en": {"{value}", "Calls **and** data in one plan: {value} on {brand}.", "Minutes are for national calls. *Fair use* applies."},
			"es": {"{value}", "Llamadas **y** datos en un plan: {value} en {brand}.", "Los minutos son para llamadas nacionales."},
			"fr": {"{value}", "Appels **et** données en un forfait : {value} chez {brand}.", ""},
			"ar": {"{value}", "مكالمات **وبيانات** في باقة واحدة: {value} من {brand}.", ""},
			"pt": {"{value}", "Chamadas **e** dados num só plano: {value} na {brand}.", ""},
			"hi": {"{value}", "एक ही प्लान में कॉल **और** डेटा: {brand} पर {value}।", ""},
			"ru": {"{value}", "Звонки **и** интернет в одном пакете: {value}, {brand}.", ""},
			"zh": {"{value}", "通话**和**流量套餐：{brand} {value}。", ""},
		}
	case "pin", "voucher", "calling":
		return map[string]phrases{
			"en": {"{brand} {value}", "A code worth **{value}** for {brand}. It is printed on the receipt.", "1. Open the provider's app or site\n2. Choose *Redeem*\n3. Enter the code"},
			"es": {"{brand} {value}", "Un código de **{value}** para {brand}. Va impreso en el recibo.", "1. Abre la aplicación\n2. Elige *Canjear*\n3. Escribe el código"},
			"fr": {"{brand} {value}", "Un code de **{value}** pour {brand}, imprimé sur le reçu.", "1. Ouvrez l'application\n2. *Utiliser un code*\n3. Saisissez le code"},
			"ar": {"{brand} {value}", "رمز بقيمة **{value}** لدى {brand}، يُطبع على الإيصال.", ""},
			"pt": {"{brand} {value}", "Um código de **{value}** para {brand}, impresso no recibo.", "1. Abra a aplicação\n2. Escolha *Resgatar*\n3. Digite o código"},
			"hi": {"{brand} {value}", "{brand} के लिए **{value}** का कोड, रसीद पर छपा है।", "1. ऐप खोलें\n2. *रिडीम* चुनें\n3. कोड डालें"},
			"ru": {"{brand} {value}", "Код на **{value}** для {brand}, напечатан на чеке.", ""},
			"zh": {"{brand} {value}", "{brand} **{value}** 充值码，印在收据上。", ""},
		}
	case "meter":
		return map[string]phrases{
			"en": {"Electricity {value}", "Prepaid electricity from {brand}. The **token** is on the receipt.", "Type the 20 digits of the token into the meter."},
			"es": {"Electricidad {value}", "Electricidad de prepago de {brand}. El **código** va en el recibo.", ""},
			"fr": {"Électricité {value}", "Électricité prépayée de {brand}. Le **code** est sur le reçu.", ""},
			"ar": {"كهرباء {value}", "كهرباء مسبقة الدفع من {brand}.", ""},
			"pt": {"Eletricidade {value}", "Eletricidade pré-paga da {brand}. O **código** está no recibo.", ""},
			"hi": {"बिजली {value}", "{brand} की प्रीपेड बिजली। **टोकन** रसीद पर है।", ""},
			"ru": {"Электричество {value}", "Предоплата за электричество {brand}. **Код** на чеке.", ""},
			"zh": {"电费 {value}", "{brand} 预付电费，**充值码**在收据上。", ""},
		}
	case "tv", "bill":
		return map[string]phrases{
			"en": {"{brand}: {value}", "Paid to {brand} for the account you name.", "It can take *some minutes* until {brand} shows the payment."},
			"es": {"{brand}: {value}", "Pago a {brand} para la cuenta indicada.", ""},
			"fr": {"{brand} : {value}", "Paiement à {brand} pour le compte indiqué.", ""},
			"ar": {"{brand}: {value}", "دفع إلى {brand} للحساب المذكور.", ""},
			"pt": {"{brand}: {value}", "Pago à {brand} pela conta indicada.", ""},
			"hi": {"{brand}: {value}", "आपके बताए खाते के लिए {brand} को भुगतान।", ""},
			"ru": {"{brand}: {value}", "Оплата {brand} по указанному счёту.", ""},
			"zh": {"{brand}：{value}", "为指定账户向 {brand} 付款。", ""},
		}
	}
	return map[string]phrases{
		"en": {"{value}", "{value} of credit for a {brand} number, there **within seconds**.", ""},
		"es": {"{value}", "{value} de saldo para un número de {brand}, **en segundos**.", ""},
		"fr": {"{value}", "{value} de crédit pour un numéro {brand}, **en quelques secondes**.", ""},
		"ar": {"{value}", "رصيد {value} لرقم {brand} **خلال ثوانٍ**.", ""},
		"pt": {"{value}", "{value} de saldo para um número {brand}, **em segundos**.", ""},
		"hi": {"{value}", "{brand} नंबर पर {value} का बैलेंस, **कुछ सेकंड में**।", ""},
		"ru": {"{value}", "{value} на номер {brand}, **за секунды**.", ""},
		"zh": {"{value}", "为 {brand} 号码充值 {value}，**数秒到账**。", ""},
	}
}

// texts adds the localized texts of a product: English always, the others for
// most of them.
func (b *builder) texts(p *Provider, product *Product, o offer) {
	rng := b.rng("texts" + product.SkuCode)
	words := wording(o.what)
	fill := strings.NewReplacer("{brand}", p.ShortName, "{value}", strings.ReplaceAll(product.DefaultDisplayText, "**", ""))
	for _, language := range Languages() {
		skip := rng.IntN(10) < 3
		if language != "en" && skip {
			continue
		}
		text := words[language]
		b.c.ProductTexts = append(b.c.ProductTexts, ProductText{
			DisplayText: fill.Replace(text.display), DescriptionMarkdown: fill.Replace(text.description),
			ReadMoreMarkdown: fill.Replace(text.more), LocalizationKey: product.LocalizationKey, LanguageCode: language,
		})
	}
}

// BonusTypes lists the types a promotion's bonus may have.
func BonusTypes() []string { return []string{"+", "%", "x", "MB", "GB", "SMS"} }

// promotions gives every sixth mobile provider a promotion, each with another
// type of bonus, and makes one provider suspended.
func (b *builder) promotions() {
	day := b.options.Now.UTC().Truncate(24 * 60 * 60 * 1e9)
	types := BonusTypes()
	suspended := false
	for i, p := range b.c.Providers {
		status := ProviderStatus{ProviderCode: p.ProviderCode, IsProcessingTransfers: true}
		if !suspended && p.TakesPhones() && i >= len(b.c.Providers)/2 {
			suspended = true
			status.IsProcessingTransfers, status.Message = false, "Provider maintenance, transfers are suspended."
		}
		b.c.Statuses = append(b.c.Statuses, status)
		if !p.TakesPhones() || i%6 != 0 {
			continue
		}
		n := len(b.c.Promotions)
		promotion := Promotion{
			ProviderCode: p.ProviderCode, StartUtc: day.AddDate(0, 0, -n%10), EndUtc: day.AddDate(0, 0, 3+n%20),
			CurrencyIso: b.options.Currency, MinimumSendAmount: b.world.rates[b.options.Currency].worth(5 * Unit), LocalizationKey: "PROMO" + strconv.Itoa(100+n), ValidityPeriodIso: "P30D",
		}
		if n%4 == 3 {
			promotion.EndUtc, promotion.ValidityPeriodIso = day.AddDate(9999-day.Year(), 0, 0), ""
		}
		b.c.Promotions = append(b.c.Promotions, promotion)
		b.promotionTexts(p, promotion, types[n%len(types)])
	}
}

func (b *builder) promotionTexts(p *Provider, promotion Promotion, bonus string) {
	worth := b.world.rates[b.options.Currency].worth
	quantity := map[string]Decimal{"+": worth(2 * Unit), "%": 50 * Unit, "x": 2 * Unit, "MB": 500 * Unit, "GB": Unit + Unit/2, "SMS": 100 * Unit}[bonus]
	headline := map[string]string{
		"en": p.ShortName + ": a bonus on every top-up from " + promotion.MinimumSendAmount.String() + " " + promotion.CurrencyIso,
		"es": p.ShortName + ": un extra en cada recarga desde " + promotion.MinimumSendAmount.String() + " " + promotion.CurrencyIso,
		"fr": p.ShortName + " : un bonus sur chaque recharge dès " + promotion.MinimumSendAmount.String() + " " + promotion.CurrencyIso,
		"ar": p.ShortName + ": مكافأة على كل شحن من " + promotion.MinimumSendAmount.String() + " " + promotion.CurrencyIso,
		"pt": p.ShortName + ": um bónus em cada carregamento desde " + promotion.MinimumSendAmount.String() + " " + promotion.CurrencyIso,
		"hi": p.ShortName + ": हर टॉप-अप पर बोनस, कम से कम " + promotion.MinimumSendAmount.String() + " " + promotion.CurrencyIso,
		"ru": p.ShortName + ": бонус за каждое пополнение от " + promotion.MinimumSendAmount.String() + " " + promotion.CurrencyIso,
		"zh": p.ShortName + "：每次充值均有赠送，最低 " + promotion.MinimumSendAmount.String() + " " + promotion.CurrencyIso,
	}
	dates := ""
	if promotion.EndUtc.Year() < 9999 {
		dates = promotion.StartUtc.Format("2 January 2006") + ";" + promotion.EndUtc.Format("2 January 2006")
	}
	languages := Languages()
	if len(b.c.Promotions)%3 == 0 {
		languages = languages[:1]
	}
	for _, language := range languages {
		b.c.PromotionTexts = append(b.c.PromotionTexts, PromotionText{
			Dates: dates, Headline: headline[language], TermsAndConditionsMarkDown: "**" + headline[language] + "**\n\n- " + bonus + " " + quantity.String(),
			BonusValidity: "30", PromotionType: "Bonus", LocalizationKey: promotion.LocalizationKey, LanguageCode: language,
			SendAmounts: []SendAmount{
				{Minimum: worth(5 * Unit), Maximum: worth(20*Unit) - Cent, Bonuses: []Bonus{{BonusType: bonus, Quantity: quantity, Validity: 15}}},
				{Minimum: worth(20 * Unit), Maximum: worth(100 * Unit), Bonuses: []Bonus{{BonusType: bonus, Quantity: 2 * quantity, Validity: 30}, {BonusType: "SMS", Quantity: 50 * Unit, Validity: 7}}},
			},
		})
	}
}
