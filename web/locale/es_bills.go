package locale

// spanishBills are the texts of bills and settings.
var spanishBills = map[string]string{
	"bills.choose":       "Elige la factura que se paga",
	"bills.lookUp":       "Buscar facturas",
	"bills.inFull":       "Una factura se paga entera.",
	"bills.void":         "Esa factura ya no se puede pagar: los datos cambiaron o se buscó hace demasiado tiempo. No se ha cobrado nada. Elige otra vez.",
	"bills.none":         "Esta cuenta no debe nada. No se ha cobrado nada.",
	"bills.wrongNumber":  "El proveedor no conoce este número de cuenta. No se ha cobrado nada. Compruébalo con el cliente.",
	"bills.wrongDetails": "El proveedor no acepta estos datos. No se ha cobrado nada. Compruébalos con el cliente.",
	"bills.outOfRange":   "No se puede pagar aquí: solo facturas de %[1]s a %[2]s.",

	"confirm.note":  "Nota",
	"facts.billRef": "Factura",
}
