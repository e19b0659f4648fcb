package locale

// spanishBookFaults has what the books say, by their English format.
var spanishBookFaults = map[string]string{
	"There is no such difference.":                                                              "No existe esa diferencia.",
	"This difference was dealt with already. Look at it again.":                                 "Esta diferencia ya se resolvió. Vuelve a mirarla.",
	"These two do not make up for one another.":                                                 "Estas dos no se compensan entre sí.",
	"The balance and the books differ by this. Book it, together with a second person.":         "El saldo y los libros difieren en esto. Regístralo junto con una segunda persona.",
	"Nothing is to be booked for this: the books follow already. Say that it is explained.":     "No hay nada que registrar: los libros ya lo reflejan. Di que está explicada.",
	"A second person must agree. You proposed it yourself.":                                     "Debe aceptarlo una segunda persona. Lo propusiste tú.",
	"Say why, in a few words.":                                                                  "Di por qué, en pocas palabras.",
	"A top-up raises the balance, and was paid from the bank or is still owed.":                 "Una recarga del saldo lo aumenta, y se pagó desde el banco o aún se debe.",
	"Give the reference of the payment.":                                                        "Indica la referencia del pago.",
	"Choose the account that takes the other side.":                                             "Elige la cuenta de contrapartida.",
	"Choose how to resolve it.":                                                                 "Elige cómo resolverla.",
	"A payment with this reference was entered already.":                                        "Ya se introdujo un pago con esta referencia.",
	"This payment was dealt with already.":                                                      "Este pago ya se trató.",
	"Say whether it is paid or still owed.":                                                     "Di si está pagado o aún se debe.",
	"Our own references begin with %s.":                                                         "Nuestras propias referencias empiezan por %s.",
	"Give the beginning of its references, at least three characters, and its name.":            "Indica cómo empiezan sus referencias, al menos tres caracteres, y su nombre.",
	"This was declared already.":                                                                "Esto ya se declaró.",
	"This declaration was dealt with already.":                                                  "Esta declaración ya se trató.",
	"The upstream's list lacks most of our sales. It is not believed; the next look will tell.": "A la lista del servicio le falta la mayoría de nuestras ventas. No se da por buena; la próxima revisión lo dirá.",
	"The upstream's budget of calls was used up.":                                               "Se agotó el cupo de consultas al servicio.",
	"The upstream could not be looked at.":                                                      "No se pudo consultar el servicio.",
	"There is no such statement.":                                                               "No existe ese estado.",

	// Mail.

	"This is no mail address.":                                                     "Esta no es una dirección de correo.",
	"The mail server did not take the message.":                                    "El servidor de correo no aceptó el mensaje.",
	"No mail server is set up. Whoever runs the till sets SMTP_URL and MAIL_FROM.": "No hay servidor de correo configurado. Quien administra la caja debe definir SMTP_URL y MAIL_FROM.",

	// Alerts.

	"This alert is over, or somebody deals with it already.": "Esta alerta ha terminado, o alguien ya se ocupa de ella.",
	"The receiver of alerts did not answer.":                 "El receptor de alertas no respondió.",
	"The receiver of alerts refused the message.":            "El receptor de alertas rechazó el mensaje.",
}
