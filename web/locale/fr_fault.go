package locale

// frenchFaults has what the rooms say, by their English format.
var frenchFaults = map[string]string{
	// The catalogue.

	"There is no product list yet: the transfer service has not answered. Nothing can be sold. Try again in a minute.": "Il n’y a pas encore de liste de produits : le service de recharge n’a pas répondu. Rien ne peut être vendu. Réessayez dans une minute.",
	"Enter an amount to pay or an amount to be received.":                                                              "Saisissez un montant à payer ou un montant à recevoir.",
	"The price could not be checked. Nothing was charged. Try again in a moment.":                                      "Le prix n’a pas pu être vérifié. Rien n’a été débité. Réessayez dans un instant.",
	"The provider does not take this amount. Choose another.":                                                          "L’opérateur ne prend pas ce montant. Choisissez-en un autre.",
	"There is no product %s.": "Il n’y a pas de produit %s.",
	"An account number has digits only. Remove the letters, or search for the customer by name.":                    "Un numéro de compte n’a que des chiffres. Retirez les lettres, ou cherchez le client par son nom.",
	"An account number has digits only. Remove the other signs.":                                                    "Un numéro de compte n’a que des chiffres. Retirez les autres signes.",
	"Enter the account number, then press Enter.":                                                                   "Saisissez le numéro de compte, puis appuyez sur Entrée.",
	"This number is too long. Enter one number of at most %d digits.":                                               "Ce numéro est trop long. Saisissez un seul numéro de %s chiffres au plus.",
	"This number is too short. Enter all its digits.":                                                               "Ce numéro est trop court. Saisissez tous ses chiffres.",
	"Enter an amount from %s to %s.":                                                                                "Saisissez un montant de %s à %s.",
	"Enter the amount in %s.":                                                                                       "Saisissez le montant en %s.",
	"This till takes %s, and this product costs %s. Finance or an administrator must enter an exchange rate first.": "Cette caisse encaisse en %s et ce produit coûte %s. La finance ou un administrateur doit d’abord saisir un taux de change.",
	"This is needed.":                          "Cette information est nécessaire.",
	"This is too long: at most %d characters.": "C’est trop long : %s caractères au plus.",
	"This has characters that cannot be sent.": "Il y a des caractères qui ne peuvent pas être envoyés.",
	"Type a whole number.":                     "Saisissez un nombre entier.",
	"Type a whole number from %d to %d.":       "Saisissez un nombre entier de %s à %s.",
	"Type %d digits.":                          "Saisissez %s chiffres.",
	"Type %d to %d digits.":                    "Saisissez de %s à %s chiffres.",
	"Type a date as %s.":                       "Saisissez une date sous la forme %s.",
	"Type it in the form %s.":                  "Saisissez-le sous la forme %s.",

	// The sale.

	"Say whether the transfer was carried out or not.":                                                                                               "Dites si le transfert a été exécuté ou non.",
	"The cash is less than the price. Nothing was sold.":                                                                                             "Les espèces ne couvrent pas le prix. Rien n’a été vendu.",
	"That is more cash than anybody gives for this. Nothing was sold.":                                                                               "C’est plus d’espèces que personne n’en donne pour cela. Rien n’a été vendu.",
	"Say how you know. Whoever confirms it has to judge by that.":                                                                                    "Dites comment vous le savez. La personne qui confirme doit pouvoir en juger.",
	"This sale is not for people to decide, or not yet.":                                                                                             "Cette vente n'est pas à décider par des personnes, ou pas encore.",
	"Somebody else has proposed something for this sale. Decide that first.":                                                                         "Une autre personne a déjà proposé une issue pour cette vente. Décidez-en d'abord.",
	"You proposed this yourself. A second person has to confirm it.":                                                                                 "Vous l'avez proposé vous-même. Une deuxième personne doit le confirmer.",
	"One of you two was added, or given a role or a password, by the other or by the same person within the last 24 hours. Somebody else must sign.": "L’une de vous deux a été ajoutée, ou a reçu un rôle ou un mot de passe, de l’autre ou d’une même personne dans les dernières 24 heures. Quelqu’un d’autre doit signer.",
	"Sign in again first: what two people sign needs a password typed just now.":                                                                     "Reconnectez-vous d'abord : ce que deux personnes signent demande un mot de passe saisi à l'instant.",
	"Nothing is proposed for this sale any more. Look at it again.":                                                                                  "Il n'y a plus de proposition pour cette vente. Regardez-la de nouveau.",
	"The audit trail is signed, and the key is not here: set VAULT_KEY_FILE as it is for web serve.":                                                 "Le journal d’audit est signé et la clé n’est pas ici : indiquez VAULT_KEY_FILE comme pour web serve.",

	"There is no such limit.":                                   "Cette limite n'existe pas.",
	"This limit is an amount.":                                  "Cette limite est un montant.",
	"An amount needs its currency, like EUR; a count has none.": "Un montant a besoin de sa devise, comme EUR ; un nombre de ventes n'en a pas.",

	"Choose the shop that leaves so much of the float to the others.":                                                  "Choisissez le magasin qui laisse ce solde aux autres.",
	"This shop has used up what it may use of the float today. Nothing was sold. Do not take cash. Tell your manager.": "Ce magasin a utilisé aujourd'hui tout le solde auquel il a droit. Rien n'a été vendu. N'encaissez rien. Prévenez votre responsable.",
	"What is left of the float is kept for other shops. Nothing was sold. Do not take cash. Tell your manager.":        "Ce qui reste du solde est gardé pour d'autres magasins. Rien n'a été vendu. N'encaissez rien. Prévenez votre responsable.",

	"Name a provider or a product.":   "Indiquez un opérateur ou un produit.",
	"The send mode is wait or defer.": "Le mode d'envoi est wait ou defer.",

	"The upstream's list may still tell. Nobody decides before 45 days have passed.":                                  "La liste du service peut encore le dire. Personne ne décide avant 45 jours.",
	"An earlier attempt of this sale was carried out after all. It is not sent again.":                                "Une tentative précédente de cette vente a finalement abouti. Elle n'est pas renvoyée.",
	"The transfer service still owes its money back for this sale. Make a new sale.":                                  "Le service de transfert doit encore rembourser cette vente. Faites une nouvelle vente.",
	"This sale cannot be cancelled any more. Look at it again.":                                                       "Cette vente ne peut plus être annulée. Regardez-la de nouveau.",
	"The transfer service could not be asked. Nothing was changed. Try again in a moment.":                            "Le service de transfert n'a pas pu être interrogé. Rien n'a changé. Réessayez dans un instant.",
	"The transfer service does not list this sale just now. Nothing was changed. Try again in a moment.":              "Le service de transfert n'affiche pas cette vente pour l'instant. Rien n'a changé. Réessayez dans un instant.",
	"The transfer service asks to wait. Try again in %d s, or give the cash back.":                                    "Le service de transfert demande d'attendre. Réessayez dans %s s, ou rendez l'argent.",
	"The float is used up. Nothing was sold. Do not take cash. Selling goes on by itself as soon as it is topped up.": "Le solde est épuisé. Rien n'a été vendu. N'encaissez rien. La vente reprend d'elle-même dès qu'il est réapprovisionné.",
	"No refund is due on this sale.":                                      "Il n’y a rien à rembourser sur cette vente.",
	"Only a batch transfer can be cancelled.":                             "Seul un transfert différé par lots peut être annulé.",
	"The cash of this sale has been given back. Make a new sale.":         "L’argent de cette vente a été rendu. Faites une nouvelle vente.",
	"The cash of this sale was given back already. Do not give it twice.": "L’argent de cette vente a déjà été rendu. Ne le rendez pas deux fois.",

	"This sale has no PIN.":                                                                             "Cette vente n’a pas de code PIN.",
	"This sale may not be sent any more.":                                                               "Cette vente ne peut plus être envoyée.",
	"It is too late to cancel: the sale has been sent.":                                                 "Il est trop tard pour annuler : la vente a été envoyée.",
	"Open a shift first.":                                                                               "Ouvrez d’abord un service.",
	"Open a shift first: the cash must come out of a drawer.":                                           "Ouvrez d’abord un service : l’argent doit sortir d’un tiroir.",
	"This PIN was shown before. Say why it is shown again.":                                             "Ce code PIN a déjà été affiché. Dites pourquoi il est affiché à nouveau.",
	"This sale has moved on meanwhile. Look at it again.":                                               "Cette vente a évolué entre-temps. Regardez-la à nouveau.",
	"%s is needed for this product.":                                                                    "Ce produit demande : %s.",
	"%s is not taking transfers right now. Nothing was sold. Do not take cash.":                         "%s ne prend pas de transfert en ce moment. Rien n’a été vendu. N’encaissez rien.",
	"Choose the bill to pay first.":                                                                     "Choisissez d’abord la facture à payer.",
	"No shift is open at this till. Open one first. Nothing was sold.":                                  "Aucun service n’est ouvert à cette caisse. Ouvrez-en un d’abord. Rien n’a été vendu.",
	"The account number must be digits. Look it up again.":                                              "Le numéro de compte doit être en chiffres. Recherchez-le à nouveau.",
	"The amount must be more than zero.":                                                                "Le montant doit être supérieur à zéro.",
	"This page is too old. Look the number up again. Nothing was sold.":                                 "Cette page est trop ancienne. Recherchez à nouveau le numéro. Rien n’a été vendu.",
	"This till takes %s, and this product is priced in %s. A manager must set a price rule.":            "Cette caisse encaisse en %s et ce produit a son prix en %s. Un responsable doit fixer une règle de prix.",
	"There is no such sale.":                                                                            "Cette vente n’existe pas.",
	"The float is too low for this sale. Nothing was sold. Do not take cash. Tell your manager.":        "Le solde est trop bas pour cette vente. Rien n’a été vendu. N’encaissez rien. Prévenez votre responsable.",
	"The shift at this till was closed. Open a new one first. Nothing was sold.":                        "Le service de cette caisse a été fermé. Ouvrez-en d’abord un nouveau. Rien n’a été vendu.",
	"The till is restarting. Nothing was sold. Try again in a moment.":                                  "La caisse redémarre. Rien n’a été vendu. Réessayez dans un instant.",
	"This page has already been used for another sale. Look the number up again. Nothing new was sold.": "Cette page a déjà servi à une autre vente. Recherchez à nouveau le numéro. Rien de nouveau n’a été vendu.",
	"This sale was not sent, so there is no receipt.":                                                   "Cette vente n’a pas été envoyée, il n’y a donc pas de reçu.",
	"Show the PIN on the sale's page first, then print. Every showing is kept on record.":               "Affichez d’abord le code PIN sur la page de la vente, puis imprimez. Chaque affichage est enregistré.",
	"The amount or a detail of this product is not right. Nothing was charged. Go back and check it.":   "Le montant ou une donnée de ce produit n’est pas correct. Rien n’a été débité. Revenez en arrière et vérifiez.",
	"This product is no longer sold. Nothing was charged. Look the number up again.":                    "Ce produit n’est plus vendu. Rien n’a été débité. Recherchez à nouveau le numéro.",
	"This operator is no longer offered. Look the number up again.":                                     "Cet opérateur n’est plus proposé. Recherchez à nouveau le numéro.",
	"This product is no longer sold. Choose another.":                                                   "Ce produit n’est plus vendu. Choisissez-en un autre.",

	// The till and its shop.

	"A shift is open at this till already.":                          "Un service est déjà ouvert à cette caisse.",
	"Your shop has no till.":                                         "Votre magasin n’a pas de caisse.",
	"Your shop has no till yet. Ask an administrator to set one up.": "Votre magasin n’a pas encore de caisse. Demandez à un administrateur d’en créer une.",
	"There is no such till.":                                         "Cette caisse n’existe pas.",
	"There is no such shop.":                                         "Ce magasin n’existe pas.",
	"Give the shop a name.":                                          "Donnez un nom au magasin.",
	"There is a shop named %q already. Choose another name.":         "Il existe déjà un magasin nommé « %s ». Choisissez un autre nom.",
	"A shop has between 1 and %d tills.":                             "Un magasin a entre 1 et %s caisses.",
	"%q is no currency. Write three letters like EUR.":               "« %s » n’est pas une monnaie. Écrivez trois lettres, comme EUR.",
	"There is no country %q. Write two letters like IE.":             "Il n’y a pas de pays « %s ». Écrivez deux lettres, comme IE.",
	"There is no time zone %q. Write it like Europe/Dublin.":         "Il n’y a pas de fuseau horaire « %s ». Écrivez-le comme Europe/Dublin.",

	// People, their passwords and sessions.

	"The username or the password is wrong.":                                                                    "L’identifiant ou le mot de passe est incorrect.",
	"Too many tries. Try again in %d s.":                                                                        "Trop d’essais. Réessayez dans %s s.",
	"Too many people are signing in just now. Try again in a moment.":                                           "Trop de personnes se connectent en ce moment. Réessayez dans un instant.",
	"The password has bytes that are no characters. Type it again.":                                             "Le mot de passe contient des octets qui ne sont pas des caractères. Saisissez-le à nouveau.",
	"The password is too long: use at most %d characters.":                                                      "Le mot de passe est trop long : %s caractères au plus.",
	"The password is too short: use at least %d characters. A few unusual words in a row are easy to remember.": "Le mot de passe est trop court : %s caractères au moins. Quelques mots inhabituels à la suite sont faciles à retenir.",
	"This password is among the first that others would guess. Use a few unusual words.":                        "Ce mot de passe est parmi les premiers que d’autres essaieraient. Utilisez quelques mots inhabituels.",
	"Write a username.": "Écrivez un identifiant.",
	"The username is too long: %d characters are the most.":                                           "L’identifiant est trop long : %s caractères au plus.",
	"A username begins with a letter or a digit and has only letters, digits and . _ - @, no spaces.": "Un identifiant commence par une lettre ou un chiffre et n’a que des lettres, des chiffres et . _ - @, sans espace.",
	"The username %q is taken. Choose another.":                                                       "L’identifiant « %s » est pris. Choisissez-en un autre.",
	"%s has a character that cannot be printed. Write it on one line, without tabs.":                  "%s : un caractère ne peut pas être imprimé. Écrivez sur une ligne, sans tabulation.",
	"%s is too long: %d characters are the most.":                                                     "%s : trop long, %s caractères au plus.",
	"%q is not a language. Write it like en-IE, es or ar.":                                            "« %s » n’est pas une langue. Écrivez-la comme en-IE, es ou ar.",
	"This is the last admin. Make another user an admin first.":                                       "C’est le dernier administrateur. Nommez-en d’abord un autre.",
	"You cannot change your own role. Ask another admin.":                                             "Vous ne pouvez pas changer votre propre fonction. Demandez à un autre administrateur.",
	"You cannot disable yourself. Ask another admin.":                                                 "Vous ne pouvez pas vous désactiver. Demandez à un autre administrateur.",
	"A %s belongs to a shop. Name the shop.":                                                          "La fonction %s appartient à un magasin. Indiquez le magasin.",
	"The role %s sees every shop and belongs to none. Leave the shop empty.":                          "La fonction %s voit tous les magasins et n’appartient à aucun. Laissez le magasin vide.",
	"There is no role %q. The roles are %s.":                                                          "Il n’y a pas de fonction « %s ». Les fonctions sont %s.",
	"There is no such user.":                                                                          "Cet utilisateur n’existe pas.",

	// The database and the browser.

	"The till cannot reach its database. Nothing was changed. Try again in a moment.":           "La caisse ne peut pas joindre sa base de données. Rien n’a été modifié. Réessayez dans un instant.",
	"The till lost its database while saving. Look the sale up before you do it again.":         "La caisse a perdu sa base de données pendant l’enregistrement. Cherchez la vente avant de la refaire.",
	"The form could not be read. Nothing was changed. Go back and try again.":                   "Le formulaire n’a pas pu être lu. Rien n’a été modifié. Revenez en arrière et réessayez.",
	"This came from another site. Nothing was changed. Open the till itself and try again.":     "Cela vient d’un autre site. Rien n’a été modifié. Ouvrez la caisse elle-même et réessayez.",
	"This form is out of date. Nothing was changed. Go back, load the page anew and try again.": "Ce formulaire est périmé. Rien n’a été modifié. Revenez en arrière, rechargez la page et réessayez.",
	"This till does not speak that language. Choose one of the list.":                           "Cette caisse ne parle pas cette langue. Choisissez-en une dans la liste.",

	// Customers and favourites.

	"Type the customer's name, with one letter at least.":                                  "Saisissez le nom du client, avec une lettre au moins.",
	"Type the customer's whole number.":                                                    "Saisissez le numéro complet du client.",
	"The shop %s has %d favourites already. Take one away there first.":                    "Le magasin %s a déjà %s favoris. Retirez-en un là-bas d’abord.",
	"There is a customer of that name already. Choose another, such as one with a street.": "Il y a déjà un client de ce nom. Choisissez-en un autre, par exemple avec la rue.",
	"This customer is no longer in the book.":                                              "Ce client n’est plus dans le carnet.",
	"The name has signs that cannot be kept. Type it again.":                               "Le nom a des signes qui ne peuvent pas être gardés. Saisissez-le à nouveau.",
	"The name is too long: use at most %d characters.":                                     "Le nom est trop long : %s caractères au plus.",

	// Bills.

	"The provider does not take these details. Nothing was charged. Check them with the customer.":                "L’opérateur ne prend pas ces données. Rien n’a été débité. Vérifiez-les avec le client.",
	"The provider does not know this account number. Nothing was charged. Check it with the customer.":            "L’opérateur ne connaît pas ce numéro de compte. Rien n’a été débité. Vérifiez-le avec le client.",
	"The bills could not be looked up: the provider does not answer. Nothing was charged. Try again in a moment.": "Les factures n’ont pas pu être recherchées : l’opérateur ne répond pas. Rien n’a été débité. Réessayez dans un instant.",

	// Reports.

	"These cannot be combined: what was sold is not kept by person and product at once. Leave one of them out, or open the sales themselves.": "Cela ne peut pas être combiné : les ventes ne sont pas gardées par personne et par produit à la fois. Retirez l’un des deux, ou ouvrez les ventes elles-mêmes.",
	"The period is too long: at most ten years, from 2020 on.":                                                                                "La période est trop longue : dix ans au plus, à partir de 2020.",
	"A period of more than %d days is split by month, not by day.":                                                                            "Une période de plus de %s jours est découpée par mois, pas par jour.",
	"There is no grouping %q.":          "Il n’y a pas de regroupement « %s ».",
	"The period ends before it begins.": "La période se termine avant de commencer.",

	// PINs and approvals.

	"Sign in with your password.":                                          "Connectez-vous avec votre mot de passe.",
	"The password is wrong.":                                               "Le mot de passe est faux.",
	"Choose a password of your own first.":                                 "Choisissez d’abord votre propre mot de passe.",
	"This is the password you have. Choose another.":                       "C’est le mot de passe actuel. Choisissez-en un autre.",
	"A PIN has %d to %d digits.":                                           "Un code PIN a de %s à %s chiffres.",
	"This PIN is among the first that others would guess. Choose another.": "Ce code PIN est parmi les premiers que d’autres essaieraient. Choisissez-en un autre.",
	"This PIN is wrong.":                                                   "Ce code PIN est faux.",
	"Say who you are, then type the PIN again.":                            "Dites qui vous êtes, puis retapez le code PIN.",
	"Choose who approves it.":                                              "Choisissez qui l’approuve.",
	"This device is not trusted.":                                          "Cet appareil n’est pas de confiance.",
	"There is no such request.":                                            "Cette demande n’existe pas.",
	"Somebody else must approve what you asked for.":                       "Quelqu’un d’autre doit approuver votre demande.",
	"This was decided already, or it is too late. Nothing was changed.":    "C’est déjà décidé, ou il est trop tard. Rien n’a changé.",

	// Tills and drawers.

	"The shift at this till was closed. Open a new one first. Nothing was done.": "Le service de cette caisse a été clôturé. Ouvrez-en d’abord un autre. Rien n’a été fait.",
	"There is no such shift.":                                                   "Ce service n’existe pas.",
	"This page is too old. Load it anew. Nothing was booked.":                   "Cette page est trop ancienne. Rechargez-la. Rien n’a été enregistré.",
	"Say whether the cash goes in or out.":                                      "Dites si l’argent entre ou sort.",
	"Say what the cash is for.":                                                 "Dites à quoi sert l’argent.",
	"Say it in %d characters.":                                                  "Dites-le en %s caractères.",
	"This much cash leaves the drawer only with a manager. Nothing was booked.": "Autant d’argent ne sort du tiroir qu’avec un responsable. Rien n’a été enregistré.",
	"This drawer holds %s.":                                                     "Ce tiroir est en %s.",
	"This page has already been used for something else. Load it anew. Nothing new was booked.": "Cette page a déjà servi à autre chose. Rechargez-la. Rien de nouveau n’a été enregistré.",
	"This page is too old. Load it anew. Nothing was closed.":                                   "Cette page est trop ancienne. Rechargez-la. Rien n’a été clôturé.",
	"This shift was closed already. Nothing was changed.":                                       "Ce service était déjà clôturé. Rien n’a été modifié.",
	"No more can stay in the drawer than was counted.":                                          "Il ne peut rester dans le tiroir plus que ce qui a été compté.",
	"A number of notes or coins cannot be right. Check it and count again.":                     "Un nombre de billets ou de pièces ne peut être juste. Vérifiez-le et recomptez.",
	"That is more cash than a drawer can hold. Check what you typed.":                           "C’est plus d’argent qu’un tiroir ne peut contenir. Vérifiez votre saisie.",
	"A drawer cannot hold less than nothing.":                                                   "Un tiroir ne peut contenir moins que rien.",
	"This shift has no report yet. It is still open.":                                           "Ce service n’a pas encore de rapport. Il est encore ouvert.",
	"This is the shift of another till. Only who is in charge may close it.":                    "C’est le service d’une autre caisse. Seul un responsable peut le clôturer.",
	"This product cannot be practised. Choose another.":                                         "Ce produit ne permet pas l’exercice. Choisissez-en un autre.",
	"This page is from before the till was restored, so it may have been sent already. Nothing was sold. Ask the customer, then look the number up again.": "Cette page date d’avant la restauration de la caisse : elle a peut-être déjà été envoyée. Rien n’a été vendu. Demandez au client, puis recherchez de nouveau le numéro.",
	"This sale is from before the till was restored, so it may have been sent again already. Give the cash back, or ask the customer and make a new sale.": "Cette vente date d’avant la restauration de la caisse : elle a peut-être déjà été renvoyée. Rendez l’argent, ou demandez au client et faites une nouvelle vente.",
	"The till's database was restored, so selling is stopped. Nothing was sold. Do not take cash. Tell your administrator.":                                "La base de données de la caisse a été restaurée : la vente est arrêtée. Rien n’a été vendu. N’encaissez rien. Prévenez l’administrateur.",

	// Papers and printers.

	"Choose the width of the paper and its columns.": "Choisissez la largeur du papier et ses colonnes.",
	"There is no such print.":                        "Cette impression n’existe pas.",
	"The printer bridge is an address on this machine, such as http://127.0.0.1:9101/print.": "Le pont d’imprimante est une adresse de cette machine, comme http://127.0.0.1:9101/print.",
	"Somebody else is printing this just now. Try again.":                                    "Quelqu’un d’autre l’imprime en ce moment. Réessayez.",
	"This page is too old. Load it anew. Nothing was printed.":                               "Cette page est trop ancienne. Rechargez-la. Rien n’a été imprimé.",
}
