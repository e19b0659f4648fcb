package locale

// frenchBookFaults has what the books say, by their English format.
var frenchBookFaults = map[string]string{
	"There is no such difference.":                                                              "Cette différence n’existe pas.",
	"This difference was dealt with already. Look at it again.":                                 "Cette différence a déjà été traitée. Regardez-la de nouveau.",
	"These two do not make up for one another.":                                                 "Ces deux écarts ne se compensent pas.",
	"The balance and the books differ by this. Book it, together with a second person.":         "Le solde et les livres diffèrent de ce montant. Passez l’écriture avec une deuxième personne.",
	"Nothing is to be booked for this: the books follow already. Say that it is explained.":     "Rien n’est à passer : les livres en tiennent déjà compte. Dites qu’elle est expliquée.",
	"A second person must agree. You proposed it yourself.":                                     "Une deuxième personne doit être d’accord. C’est vous qui l’avez proposé.",
	"Say why, in a few words.":                                                                  "Dites pourquoi, en quelques mots.",
	"A top-up raises the balance, and was paid from the bank or is still owed.":                 "Un approvisionnement augmente le solde ; il a été payé par la banque ou reste dû.",
	"Give the reference of the payment.":                                                        "Donnez la référence du paiement.",
	"Choose the account that takes the other side.":                                             "Choisissez le compte de contrepartie.",
	"Choose how to resolve it.":                                                                 "Choisissez comment la résoudre.",
	"A payment with this reference was entered already.":                                        "Un paiement avec cette référence a déjà été saisi.",
	"This payment was dealt with already.":                                                      "Ce paiement a déjà été traité.",
	"Say whether it is paid or still owed.":                                                     "Dites s’il est payé ou encore dû.",
	"Our own references begin with %s.":                                                         "Nos propres références commencent par %s.",
	"Give the beginning of its references, at least three characters, and its name.":            "Donnez le début de ses références, au moins trois caractères, et son nom.",
	"This was declared already.":                                                                "Cela a déjà été déclaré.",
	"This declaration was dealt with already.":                                                  "Cette déclaration a déjà été traitée.",
	"The upstream's list lacks most of our sales. It is not believed; the next look will tell.": "Il manque à la liste du service la plupart de nos ventes. Elle n’est pas crue ; le prochain contrôle tranchera.",
	"The upstream's budget of calls was used up.":                                               "Le quota d’appels au service est épuisé.",
	"The upstream could not be looked at.":                                                      "Le service n’a pas pu être consulté.",
	"There is no such statement.":                                                               "Ce relevé n’existe pas.",

	// Mail.

	"This is no mail address.":                                                     "Ce n'est pas une adresse e-mail.",
	"The mail server did not take the message.":                                    "Le serveur de messagerie n'a pas accepté le message.",
	"No mail server is set up. Whoever runs the till sets SMTP_URL and MAIL_FROM.": "Aucun serveur de messagerie n'est configuré. La personne qui gère la caisse doit définir SMTP_URL et MAIL_FROM.",

	// Alerts.

	"This alert is over, or somebody deals with it already.": "Cette alerte est terminée, ou quelqu'un s'en occupe déjà.",
	"The receiver of alerts did not answer.":                 "Le destinataire des alertes n'a pas répondu.",
	"The receiver of alerts refused the message.":            "Le destinataire des alertes a refusé le message.",
}
