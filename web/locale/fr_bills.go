package locale

// frenchBills are the texts of bills and settings.
var frenchBills = map[string]string{
	"bills.choose":       "Choisissez la facture à payer",
	"bills.lookUp":       "Rechercher les factures",
	"bills.inFull":       "Une facture se paie en entier.",
	"bills.void":         "Cette facture ne peut plus être payée : les informations ont changé, ou la recherche est trop ancienne. Rien n’a été débité. Choisissez de nouveau.",
	"bills.none":         "Ce compte ne doit rien. Rien n’a été débité.",
	"bills.wrongNumber":  "Le fournisseur ne connaît pas ce numéro de compte. Rien n’a été débité. Vérifiez-le avec le client.",
	"bills.wrongDetails": "Le fournisseur n’accepte pas ces informations. Rien n’a été débité. Vérifiez-les avec le client.",
	"bills.outOfRange":   "Elle ne peut pas être payée ici : seulement les factures de %[1]s à %[2]s.",

	"confirm.note":  "Remarque",
	"facts.billRef": "Facture",
}
