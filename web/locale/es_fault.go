package locale

// spanishFaults has what the rooms say, by their English format.
var spanishFaults = map[string]string{
	// The catalogue.

	"There is no product list yet: the transfer service has not answered. Nothing can be sold. Try again in a minute.": "Todavía no hay lista de productos: el servicio de recargas no ha respondido. No se puede vender nada. Inténtalo de nuevo en un minuto.",
	"Enter an amount to pay or an amount to be received.":                                                              "Escribe un importe que se paga o un importe que se recibe.",
	"The price could not be checked. Nothing was charged. Try again in a moment.":                                      "No se pudo comprobar el precio. No se ha cobrado nada. Inténtalo de nuevo dentro de un momento.",
	"The provider does not take this amount. Choose another.":                                                          "El operador no acepta este importe. Elige otro.",
	"There is no product %s.": "No existe el producto %s.",
	"An account number has digits only. Remove the letters, or search for the customer by name.":                    "Un número de cuenta solo tiene cifras. Quita las letras, o busca al cliente por su nombre.",
	"An account number has digits only. Remove the other signs.":                                                    "Un número de cuenta solo tiene cifras. Quita los demás signos.",
	"Enter the account number, then press Enter.":                                                                   "Escribe el número de cuenta y pulsa Intro.",
	"This number is too long. Enter one number of at most %d digits.":                                               "Este número es demasiado largo. Escribe un solo número de %s cifras como máximo.",
	"This number is too short. Enter all its digits.":                                                               "Este número es demasiado corto. Escribe todas sus cifras.",
	"Enter an amount from %s to %s.":                                                                                "Escribe un importe de %s a %s.",
	"Enter the amount in %s.":                                                                                       "Escribe el importe en %s.",
	"This till takes %s, and this product costs %s. Finance or an administrator must enter an exchange rate first.": "Esta caja cobra en %s y este producto cuesta %s. Antes, finanzas o un administrador debe introducir un tipo de cambio.",
	"This is needed.":                          "Este dato es necesario.",
	"This is too long: at most %d characters.": "Es demasiado largo: como máximo %s caracteres.",
	"This has characters that cannot be sent.": "Tiene caracteres que no se pueden enviar.",
	"Type a whole number.":                     "Escribe un número entero.",
	"Type a whole number from %d to %d.":       "Escribe un número entero de %s a %s.",
	"Type %d digits.":                          "Escribe %s cifras.",
	"Type %d to %d digits.":                    "Escribe de %s a %s cifras.",
	"Type a date as %s.":                       "Escribe una fecha como %s.",
	"Type it in the form %s.":                  "Escríbelo con la forma %s.",

	// The sale.

	"Say whether the transfer was carried out or not.":                                                                                               "Indica si el envío se realizó o no.",
	"The cash is less than the price. Nothing was sold.":                                                                                             "El efectivo es menos que el precio. No se ha vendido nada.",
	"That is more cash than anybody gives for this. Nothing was sold.":                                                                               "Es más efectivo del que nadie entrega por esto. No se ha vendido nada.",
	"Say how you know. Whoever confirms it has to judge by that.":                                                                                    "Indica cómo lo sabes. Quien lo confirme debe poder juzgarlo.",
	"This sale is not for people to decide, or not yet.":                                                                                             "Esta venta no la deciden personas, o todavía no.",
	"Somebody else has proposed something for this sale. Decide that first.":                                                                         "Otra persona ya ha propuesto algo para esta venta. Decidid eso primero.",
	"You proposed this yourself. A second person has to confirm it.":                                                                                 "Lo has propuesto tú. Debe confirmarlo una segunda persona.",
	"One of you two was added, or given a role or a password, by the other or by the same person within the last 24 hours. Somebody else must sign.": "Una de las dos personas fue añadida, o recibió un rol o una contraseña, de la otra o de una misma tercera en las últimas 24 horas. Debe firmar otra persona.",
	"Sign in again first: what two people sign needs a password typed just now.":                                                                     "Inicia sesión de nuevo primero: lo que firman dos personas exige una contraseña recién escrita.",
	"Nothing is proposed for this sale any more. Look at it again.":                                                                                  "Ya no hay ninguna propuesta para esta venta. Mírala de nuevo.",
	"The audit trail is signed, and the key is not here: set VAULT_KEY_FILE as it is for web serve.":                                                 "El registro de auditoría está firmado y la clave no está aquí: indica VAULT_KEY_FILE igual que para web serve.",

	"There is no such limit.":                                   "No existe ese límite.",
	"This limit is an amount.":                                  "Este límite es un importe.",
	"An amount needs its currency, like EUR; a count has none.": "Un importe necesita su moneda, como EUR; un número de ventas no la lleva.",

	"Choose the shop that leaves so much of the float to the others.":                                                  "Elige la tienda que deja ese saldo a las demás.",
	"This shop has used up what it may use of the float today. Nothing was sold. Do not take cash. Tell your manager.": "Esta tienda ya ha usado hoy todo el saldo que puede usar. No se ha vendido nada. No cobres nada. Avisa a tu responsable.",
	"What is left of the float is kept for other shops. Nothing was sold. Do not take cash. Tell your manager.":        "Lo que queda del saldo se reserva para otras tiendas. No se ha vendido nada. No cobres nada. Avisa a tu responsable.",

	"Name a provider or a product.":   "Indica un operador o un producto.",
	"The send mode is wait or defer.": "El modo de envío es wait o defer.",

	"The upstream's list may still tell. Nobody decides before 45 days have passed.":                                  "La lista del servicio todavía puede decirlo. Nadie decide antes de que pasen 45 días.",
	"An earlier attempt of this sale was carried out after all. It is not sent again.":                                "Un intento anterior de esta venta sí se realizó. No se envía otra vez.",
	"The transfer service still owes its money back for this sale. Make a new sale.":                                  "El servicio de recargas todavía debe devolver el dinero de esta venta. Haz una venta nueva.",
	"This sale cannot be cancelled any more. Look at it again.":                                                       "Esta venta ya no se puede anular. Mírala de nuevo.",
	"The transfer service could not be asked. Nothing was changed. Try again in a moment.":                            "No se pudo preguntar al servicio de recargas. No ha cambiado nada. Inténtalo de nuevo dentro de un momento.",
	"The transfer service does not list this sale just now. Nothing was changed. Try again in a moment.":              "El servicio de recargas no muestra esta venta en este momento. No ha cambiado nada. Inténtalo de nuevo dentro de un momento.",
	"The transfer service asks to wait. Try again in %d s, or give the cash back.":                                    "El servicio de recargas pide esperar. Inténtalo de nuevo en %s s, o devuelve el dinero.",
	"The float is used up. Nothing was sold. Do not take cash. Selling goes on by itself as soon as it is topped up.": "El saldo se ha agotado. No se ha vendido nada. No cobres nada. Las ventas siguen solas en cuanto se recargue.",
	"No refund is due on this sale.":                                      "No hay nada que devolver de esta venta.",
	"Only a batch transfer can be cancelled.":                             "Solo se puede anular un envío por lotes.",
	"The cash of this sale has been given back. Make a new sale.":         "El dinero de esta venta ya se devolvió. Haz una venta nueva.",
	"The cash of this sale was given back already. Do not give it twice.": "El dinero de esta venta ya se devolvió. No lo devuelvas dos veces.",

	"This sale has no PIN.":                                                                             "Esta venta no tiene PIN.",
	"This sale may not be sent any more.":                                                               "Esta venta ya no se puede enviar.",
	"It is too late to cancel: the sale has been sent.":                                                 "Es tarde para anular: la venta ya se ha enviado.",
	"Open a shift first.":                                                                               "Abre primero un turno.",
	"Open a shift first: the cash must come out of a drawer.":                                           "Abre primero un turno: el dinero tiene que salir de un cajón.",
	"This PIN was shown before. Say why it is shown again.":                                             "Este PIN ya se mostró. Indica por qué se muestra otra vez.",
	"This sale has moved on meanwhile. Look at it again.":                                               "Esta venta ha cambiado entretanto. Mírala de nuevo.",
	"%s is needed for this product.":                                                                    "Este producto necesita: %s.",
	"%s is not taking transfers right now. Nothing was sold. Do not take cash.":                         "%s no acepta envíos en este momento. No se ha vendido nada. No cobres nada.",
	"Choose the bill to pay first.":                                                                     "Elige primero la factura que se va a pagar.",
	"No shift is open at this till. Open one first. Nothing was sold.":                                  "No hay ningún turno abierto en esta caja. Abre uno primero. No se ha vendido nada.",
	"The account number must be digits. Look it up again.":                                              "El número de cuenta debe tener solo cifras. Búscalo de nuevo.",
	"The amount must be more than zero.":                                                                "El importe debe ser mayor que cero.",
	"This page is too old. Look the number up again. Nothing was sold.":                                 "Esta página es demasiado antigua. Busca el número de nuevo. No se ha vendido nada.",
	"This till takes %s, and this product is priced in %s. A manager must set a price rule.":            "Esta caja cobra en %s y este producto tiene el precio en %s. Un encargado debe fijar una regla de precios.",
	"There is no such sale.":                                                                            "No existe esa venta.",
	"The float is too low for this sale. Nothing was sold. Do not take cash. Tell your manager.":        "El saldo no alcanza para esta venta. No se ha vendido nada. No cobres nada. Avisa a tu encargado.",
	"The shift at this till was closed. Open a new one first. Nothing was sold.":                        "El turno de esta caja se cerró. Abre primero uno nuevo. No se ha vendido nada.",
	"The till is restarting. Nothing was sold. Try again in a moment.":                                  "La caja se está reiniciando. No se ha vendido nada. Inténtalo de nuevo dentro de un momento.",
	"This page has already been used for another sale. Look the number up again. Nothing new was sold.": "Esta página ya se usó para otra venta. Busca el número de nuevo. No se ha vendido nada más.",
	"This sale was not sent, so there is no receipt.":                                                   "Esta venta no se envió, así que no hay recibo.",
	"Show the PIN on the sale's page first, then print. Every showing is kept on record.":               "Muestra primero el PIN en la página de la venta y después imprime. Cada vez que se muestra queda registrado.",
	"The amount or a detail of this product is not right. Nothing was charged. Go back and check it.":   "El importe o un dato de este producto no es correcto. No se ha cobrado nada. Vuelve atrás y revísalo.",
	"This product is no longer sold. Nothing was charged. Look the number up again.":                    "Este producto ya no se vende. No se ha cobrado nada. Busca el número de nuevo.",
	"This operator is no longer offered. Look the number up again.":                                     "Este operador ya no se ofrece. Busca el número de nuevo.",
	"This product is no longer sold. Choose another.":                                                   "Este producto ya no se vende. Elige otro.",

	// The till and its shop.

	"A shift is open at this till already.":                          "En esta caja ya hay un turno abierto.",
	"Your shop has no till.":                                         "Tu tienda no tiene caja.",
	"Your shop has no till yet. Ask an administrator to set one up.": "Tu tienda todavía no tiene caja. Pide a un administrador que la cree.",
	"There is no such till.":                                         "No existe esa caja.",
	"There is no such shop.":                                         "No existe esa tienda.",
	"Give the shop a name.":                                          "Ponle un nombre a la tienda.",
	"There is a shop named %q already. Choose another name.":         "Ya hay una tienda llamada «%s». Elige otro nombre.",
	"A shop has between 1 and %d tills.":                             "Una tienda tiene entre 1 y %s cajas.",
	"%q is no currency. Write three letters like EUR.":               "«%s» no es una moneda. Escribe tres letras, como EUR.",
	"There is no country %q. Write two letters like IE.":             "No existe el país «%s». Escribe dos letras, como IE.",
	"There is no time zone %q. Write it like Europe/Dublin.":         "No existe la zona horaria «%s». Escríbela como Europe/Dublin.",

	// People, their passwords and sessions.

	"The username or the password is wrong.":                                                                    "El usuario o la contraseña no son correctos.",
	"Too many tries. Try again in %d s.":                                                                        "Demasiados intentos. Inténtalo de nuevo en %s s.",
	"Too many people are signing in just now. Try again in a moment.":                                           "Demasiadas personas están iniciando sesión ahora mismo. Inténtalo de nuevo dentro de un momento.",
	"The password has bytes that are no characters. Type it again.":                                             "La contraseña contiene bytes que no son caracteres. Escríbela de nuevo.",
	"The password is too long: use at most %d characters.":                                                      "La contraseña es demasiado larga: usa %s caracteres como máximo.",
	"The password is too short: use at least %d characters. A few unusual words in a row are easy to remember.": "La contraseña es demasiado corta: usa al menos %s caracteres. Unas pocas palabras poco comunes seguidas son fáciles de recordar.",
	"This password is among the first that others would guess. Use a few unusual words.":                        "Esta contraseña es de las primeras que otros probarían. Usa unas pocas palabras poco comunes.",
	"Write a username.": "Escribe un usuario.",
	"The username is too long: %d characters are the most.":                                           "El usuario es demasiado largo: %s caracteres como máximo.",
	"A username begins with a letter or a digit and has only letters, digits and . _ - @, no spaces.": "Un usuario empieza por una letra o una cifra y solo tiene letras, cifras y . _ - @, sin espacios.",
	"The username %q is taken. Choose another.":                                                       "El usuario «%s» ya existe. Elige otro.",
	"%s has a character that cannot be printed. Write it on one line, without tabs.":                  "%s: hay un carácter que no se puede imprimir. Escríbelo en una línea, sin tabuladores.",
	"%s is too long: %d characters are the most.":                                                     "%s: demasiado largo, %s caracteres como máximo.",
	"%q is not a language. Write it like en-IE, es or ar.":                                            "«%s» no es un idioma. Escríbelo como en-IE, es o ar.",
	"This is the last admin. Make another user an admin first.":                                       "Es el último administrador. Nombra antes a otro.",
	"You cannot change your own role. Ask another admin.":                                             "No puedes cambiar tu propio puesto. Pídeselo a otro administrador.",
	"You cannot disable yourself. Ask another admin.":                                                 "No puedes desactivarte. Pídeselo a otro administrador.",
	"A %s belongs to a shop. Name the shop.":                                                          "El puesto %s pertenece a una tienda. Indica la tienda.",
	"The role %s sees every shop and belongs to none. Leave the shop empty.":                          "El puesto %s ve todas las tiendas y no pertenece a ninguna. Deja la tienda vacía.",
	"There is no role %q. The roles are %s.":                                                          "No existe el puesto «%s». Los puestos son %s.",
	"There is no such user.":                                                                          "No existe ese usuario.",

	// The database and the browser.

	"The till cannot reach its database. Nothing was changed. Try again in a moment.":           "La caja no llega a su base de datos. No se ha cambiado nada. Inténtalo de nuevo dentro de un momento.",
	"The till lost its database while saving. Look the sale up before you do it again.":         "La caja perdió su base de datos mientras guardaba. Busca la venta antes de repetirla.",
	"The form could not be read. Nothing was changed. Go back and try again.":                   "No se pudo leer el formulario. No se ha cambiado nada. Vuelve atrás e inténtalo de nuevo.",
	"This came from another site. Nothing was changed. Open the till itself and try again.":     "Esto llegó de otro sitio. No se ha cambiado nada. Abre la propia caja e inténtalo de nuevo.",
	"This form is out of date. Nothing was changed. Go back, load the page anew and try again.": "Este formulario ha caducado. No se ha cambiado nada. Vuelve atrás, carga la página de nuevo e inténtalo otra vez.",
	"This till does not speak that language. Choose one of the list.":                           "Esta caja no habla ese idioma. Elige uno de la lista.",

	// Customers and favourites.

	"Type the customer's name, with one letter at least.":                                  "Escribe el nombre del cliente, con una letra al menos.",
	"Type the customer's whole number.":                                                    "Escribe el número completo del cliente.",
	"The shop %s has %d favourites already. Take one away there first.":                    "La tienda %s ya tiene %s favoritos. Quita uno allí primero.",
	"There is a customer of that name already. Choose another, such as one with a street.": "Ya hay un cliente con ese nombre. Elige otro, por ejemplo con la calle.",
	"This customer is no longer in the book.":                                              "Este cliente ya no está en la agenda.",
	"The name has signs that cannot be kept. Type it again.":                               "El nombre tiene signos que no se pueden guardar. Escríbelo de nuevo.",
	"The name is too long: use at most %d characters.":                                     "El nombre es demasiado largo: %s caracteres como máximo.",

	// Bills.

	"The provider does not take these details. Nothing was charged. Check them with the customer.":                "El operador no acepta estos datos. No se ha cobrado nada. Compruébalos con el cliente.",
	"The provider does not know this account number. Nothing was charged. Check it with the customer.":            "El operador no conoce este número de cuenta. No se ha cobrado nada. Compruébalo con el cliente.",
	"The bills could not be looked up: the provider does not answer. Nothing was charged. Try again in a moment.": "No se pudieron buscar las facturas: el operador no responde. No se ha cobrado nada. Inténtalo de nuevo dentro de un momento.",

	// Reports.

	"These cannot be combined: what was sold is not kept by person and product at once. Leave one of them out, or open the sales themselves.": "Esto no se puede combinar: lo vendido no se guarda por persona y producto a la vez. Quita uno de los dos, o abre las propias ventas.",
	"The period is too long: at most ten years, from 2020 on.":                                                                                "El periodo es demasiado largo: diez años como máximo, desde 2020.",
	"A period of more than %d days is split by month, not by day.":                                                                            "Un periodo de más de %s días se divide por meses, no por días.",
	"There is no grouping %q.":          "No existe la agrupación «%s».",
	"The period ends before it begins.": "El periodo termina antes de empezar.",

	// PINs and approvals.

	"Sign in with your password.":                                          "Entra con tu contraseña.",
	"The password is wrong.":                                               "La contraseña no es correcta.",
	"Choose a password of your own first.":                                 "Elige primero una contraseña propia.",
	"This is the password you have. Choose another.":                       "Esa es la contraseña que ya tienes. Elige otra.",
	"A PIN has %d to %d digits.":                                           "Un PIN tiene de %s a %s cifras.",
	"This PIN is among the first that others would guess. Choose another.": "Este PIN es de los primeros que otros probarían. Elige otro.",
	"This PIN is wrong.":                                                   "Este PIN no es correcto.",
	"Say who you are, then type the PIN again.":                            "Di quién eres y escribe el PIN de nuevo.",
	"Choose who approves it.":                                              "Elige quién lo aprueba.",
	"This device is not trusted.":                                          "Este dispositivo no es de confianza.",
	"There is no such request.":                                            "No existe esa petición.",
	"Somebody else must approve what you asked for.":                       "Otra persona debe aprobar lo que has pedido.",
	"This was decided already, or it is too late. Nothing was changed.":    "Esto ya se decidió, o es demasiado tarde. No se cambió nada.",

	// Tills and drawers.

	"The shift at this till was closed. Open a new one first. Nothing was done.": "El turno de esta caja se cerró. Abre primero otro. No se hizo nada.",
	"There is no such shift.":                                                   "No existe ese turno.",
	"This page is too old. Load it anew. Nothing was booked.":                   "Esta página es demasiado antigua. Vuelve a cargarla. No se anotó nada.",
	"Say whether the cash goes in or out.":                                      "Di si el efectivo entra o sale.",
	"Say what the cash is for.":                                                 "Di para qué es el efectivo.",
	"Say it in %d characters.":                                                  "Dilo en %s caracteres.",
	"This much cash leaves the drawer only with a manager. Nothing was booked.": "Tanto efectivo solo sale del cajón con un encargado. No se anotó nada.",
	"This drawer holds %s.":                                                     "Este cajón es de %s.",
	"This page has already been used for something else. Load it anew. Nothing new was booked.": "Esta página ya se usó para otra cosa. Vuelve a cargarla. No se anotó nada nuevo.",
	"This page is too old. Load it anew. Nothing was closed.":                                   "Esta página es demasiado antigua. Vuelve a cargarla. No se cerró nada.",
	"This shift was closed already. Nothing was changed.":                                       "Este turno ya estaba cerrado. No se cambió nada.",
	"No more can stay in the drawer than was counted.":                                          "En el cajón no puede quedar más de lo que se contó.",
	"A number of notes or coins cannot be right. Check it and count again.":                     "Un número de billetes o monedas no puede ser correcto. Revísalo y cuenta otra vez.",
	"That is more cash than a drawer can hold. Check what you typed.":                           "Es más efectivo del que cabe en un cajón. Revisa lo que escribiste.",
	"A drawer cannot hold less than nothing.":                                                   "Un cajón no puede tener menos que nada.",
	"This shift has no report yet. It is still open.":                                           "Este turno aún no tiene informe. Sigue abierto.",
	"This is the shift of another till. Only who is in charge may close it.":                    "Es el turno de otra caja. Solo puede cerrarlo quien está al cargo.",
	"This product cannot be practised. Choose another.":                                         "Este producto no se puede practicar. Elige otro.",
	"This page is from before the till was restored, so it may have been sent already. Nothing was sold. Ask the customer, then look the number up again.": "Esta página es de antes de restaurar la caja, así que puede que ya se haya enviado. No se ha vendido nada. Pregunta al cliente y vuelve a buscar el número.",
	"This sale is from before the till was restored, so it may have been sent again already. Give the cash back, or ask the customer and make a new sale.": "Esta venta es de antes de restaurar la caja, así que puede que ya se haya enviado otra vez. Devuelve el dinero, o pregunta al cliente y haz una venta nueva.",
	"The till's database was restored, so selling is stopped. Nothing was sold. Do not take cash. Tell your administrator.":                                "La base de datos de la caja se ha restaurado y la venta está detenida. No se ha vendido nada. No cobres nada. Avisa al administrador.",

	// Papers and printers.

	"Choose the width of the paper and its columns.": "Elige el ancho del papel y sus columnas.",
	"There is no such print.":                        "No existe esa impresión.",
	"The printer bridge is an address on this machine, such as http://127.0.0.1:9101/print.": "El puente de impresora es una dirección de esta máquina, como http://127.0.0.1:9101/print.",
	"Somebody else is printing this just now. Try again.":                                    "Otra persona lo está imprimiendo ahora. Inténtalo de nuevo.",
	"This page is too old. Load it anew. Nothing was printed.":                               "Esta página es demasiado antigua. Vuelve a cargarla. No se imprimió nada.",
}
