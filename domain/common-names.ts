/**
 * Common given names and surnames of the Americas and Europe, in plain letters. Names that are ordinary words or
 * months (may, will, mark, king, green…) are left out: an opaque id may well contain them.
 */
const givenNames = `
  aaron abel abigail abraham ada adam adela adolfo adrian adriana agata agnes agustin agustina aida aidan ainhoa alan alba
  albert alberto aldo alejandra alejandro alessandra alessandro alex alexander alexandra alexis alfonso alfred alfredo
  alice alicia alina alison almendra alonso alvaro amalia amanda amelia amelie amparo amy ana anabel anahi anastasia
  anders andre andrea andreas andres andrew angela angelica angelina angelo anita anna anne annie anthony antonella
  antonia antonio antony araceli arianna ariel armando arnaldo arthur arturo astrid augusto aurelio aurora austin axel
  barbara bartolome bastian beatrice beatriz belen benito benjamin bernarda bernardo bertha betty bianca blanca boris
  brandon braulio brenda brian bruno bryan byron camila camille camilo carla carlo carlos carmen carol carolina caroline
  catalina catherine cecilia celeste celia cesar charles charlotte chloe christian christina christine christopher
  clara claudia claudio clemente connor constanza consuelo cristian cristina cristobal cynthia damian daniel daniela
  danielle danilo dario david deborah delia denis denise dennis diana diego dolores domingo dominic donald dora doris
  dorothy douglas dylan edgar edgardo edith edmundo eduarda eduardo edward edwin efrain elena eleonora elias elisa elisabeth
  eliseo elizabeth ella ellen eloisa elsa elvira emanuel emilia emiliano emilie emilio emily emma emmanuel enrique eric
  erica erick erik erika ernesto esmeralda esperanza esteban estefania estela ester esther estrella ethan eugenia eugenio
  eva evelyn ezequiel fabian fabiana fabiola facundo fatima federica federico felicia felipe felix fermin fernanda fernando
  fidel filippo flavia florencia francesca francesco francis francisca francisco franco francois frederic gabriel gabriela
  gaspar genesis george georgina gerald gerardo german gerson giacomo gianna gilberto gina giovanna giovanni gisela
  giulia giuseppe gladys gloria gonzalo graciela gregorio gregory greta guadalupe guido guillermina guillermo gustavo
  hannah hans harold harry hector heidi helen helena helga henri henry herman hernan hernando hilda horacio hortensia
  hugo humberto ian ignacia ignacio ilse ines ingrid irene iris irma isabel isabella isaac isaias isidora ismael israel
  ivan ivette ivonne jacinta jack jacob jacqueline jaime james jamie jan jane janet jason javier javiera jean jeffrey
  jennifer jeremias jeremy jerome jessica jesus jimena joan joana joao joaquin joel johan johanna john johnny jonathan
  jordan jorge jose josefa josefina joseph josephine joshua josue juan juana juanita judith julia julian juliana julie
  julieta julio julius justin karen karin karina karl karla katherine kathleen katrina kelly kenneth kevin kimberly klaus
  kristina lara larissa laura lauren laurent lautaro lea leandro leo leon leonardo leonel leonor leopoldo leticia lia
  liam lidia lilian liliana linda lionel lisa lisandro logan lola lorena lorenzo louis louise lourdes luca lucas lucia
  luciana luciano lucila lucio lucy ludwig luis luisa luisina luz lydia mabel macarena madeleine magdalena maite manuel
  manuela marc marcela marcelo marcia marco marcos margaret margarita margot maria mariana mariano maribel marie mariela
  marina mario marion marisa marisol marlene marta martha martin martina mateo matias matilda matilde matteo matthew
  matthias maureen mauricio mauro max maximiliano maximo maya mayra melanie melissa mercedes mia micaela michael michele
  michelle miguel milagros milena millaray mireya miriam moises monica monserrat montserrat nadia nancy naomi natalia
  natalie natasha nathalie nathan nayara nelida nelly nelson nestor nicholas nicolas nicole nicolle nina noah noelia noemi
  nora norberto norma nuria octavio ofelia olga oliver olivia omar orlando oscar osvaldo otto pablo paloma pamela paola
  paolo pascal pascual pascuala patricia patricio patrick paul paula paulina pauline paulo pedro penelope peter
  petra philip philippe pia pierre pilar priscila priscilla rachel rafael rafaela raimundo ramiro ramon ramona raphael
  raquel raul rebeca rebecca regina reinaldo renata renato rene ricardo richard rita robert roberta roberto rocio rodolfo
  rodrigo rogelio roland rolando romina ronald rosa rosalia rosana rosario rosaura roxana ruben rudolf rufino ruth ryan
  sabrina salome salvador samanta samantha samuel sandra santiago santino sara sarah sascha sebastian selena serena sergio
  sharon silvana silvia silvio simon simona simone sofia sol soledad solange sonia sophia sophie stefan stefania stefano
  stella stephanie stephen steven stuart susan susana sven sylvia tamara tania tatiana telma teodoro teresa thelma
  theodore theresa thiago thomas timothy tobias tomas trinidad ulises ursula valentin valentina valeria valerie vanesa
  vanessa vanina vera veronica vicente vicenta vicky victor victoria vilma vincent vincenzo violeta virginia viviana
  vladimir walter wanda wendy werner wilfredo wilhelm william wilma wilson ximena yamila yanina yasmin yesenia yohana
  yolanda zacarias zoe zulema`

const surnames = `
  abarca acevedo acosta acuna aguayo aguero aguilar aguilera aguirre alarcon albornoz alcantara alfaro aliaga allende
  almeida almonacid alonso alvarado alvarez alves amaya anderson andrade antunez araneda aranda aravena araujo araya
  arce arellano arenas arevalo arias armijo arriagada arroyo astudillo avalos avendano avila ayala azevedo baeza
  bahamondes balmaceda barahona barbosa barra barraza barrera barreto barria barrientos barrios barros bascunan bauer
  becerra becker benavente benavides benitez bermudez bernal berrios betancourt blanco bravo briceno briones brito bruna
  burgos bustamante bustos caballero cabello cabezas cabrera caceres calderon calvo camacho campos canales cardenas
  cardoso cardozo carmona carrasco carreno carrera carrillo carter carvajal carvalho casas castaneda castillo castro
  catalan cavieres ceballos cerda cespedes chacon chandia chaparro chavez cifuentes cisternas collins concha contreras
  cordero cordova cornejo coronado correa correia cortes cortez costa cruz cuevas dasilva davila davis delgado diaz
  donoso dominguez duarte dubois duran echeverria edwards elgueta encina escalona escobar escudero espejo espina espinosa
  espinoza estevez evans faundez fernandes fernandez ferrari ferreira ferrer fierro figueroa fischer flores fonseca
  fontana fredes freitas friedman fuentealba fuentes fuenzalida gaete galaz gallardo gallegos galvez gamboa garay garces
  garcia garrido garza gatica godoy gomes gomez goncalves gonzales gonzalez gonzalo grau guajardo guerra guerrero gutierrez
  guzman hansen harris henriquez heredia hermosilla hernandez herrera hidalgo hoffmann huenchuman huerta hughes ibanez
  ibarra illanes inostroza iturra jackson jaramillo jara jensen jimenez johansen johnson jones jorquera juarez klein koch
  kowalski lagos landeros lara larrain larsen lastra latorre leal ledesma leiva leyton lewis lillo lima lizama llanos lobos
  lopez lozano lucero lujan luna machado maciel macias maldonado manriquez mansilla mardones marin marquez martinez
  martins mason matamala matos matus maturana maureira medina medrano mejia melendez mella mellado melo mendes mendez
  mendoza meneses mercado merino meyer meza miller miranda molina moncada monsalve montenegro montero montes montoya mora
  moraga morales moreira moreno moretti morgan mueller muller munoz murillo murphy naranjo navarrete navarro neira nelson
  nguyen nielsen nogueira novoa nunez obando ochoa ojeda olate oliva olivares oliveira olivera olmos olsen opazo orellana
  orozco orrego ortega ortiz osorio ossandon otero ovalle oyarzun pacheco padilla paez palacios palma palominos pardo
  paredes parra pastene pavez paz pedersen pena penaloza peralta pereira perez petersen peters phillips pineda pinheiro
  pino pinto pizarro poblete ponce porras portilla prado prieto puebla quezada quijada quintana quintero quinteros
  quiroga quiroz ramirez ramos rebolledo retamal reyes ribeiro ricci richter riffo rios riquelme rivas rivera rivero
  roberts robinson robles rocha rodrigues rodriguez rogers rojas roman romano romero rosales rosas rossi rubio rubilar
  ruiz russo saavedra saez salas salazar saldias salgado salinas salvatierra samaniego sanchez sanders sandoval
  sanhueza santana santander santibanez santos sanz saravia schmidt schneider schroeder schulz schwarz segovia segura
  sepulveda serrano sierra silva smith soares solis soria sosa soto soza suarez sullivan suzuki tanaka tapia taylor
  tejada tejeda tello thompson toledo toro torrealba torres trejo troncoso trujillo ubilla ulloa uribe urrutia urzua
  valderrama valdes valdez valdivia valencia valenzuela valladares vallejos valverde varas varela vargas vasconcelos
  vasquez vazquez vega velasco velasquez velez venegas veliz vera verdugo vergara vicencio vidal vieira vielma vilches
  villa villagra villalobos villanueva villar villarroel villegas vivanco volkov wagner watson weber williams wilson
  yanez yevenes zambrano zamora zapata zarate zavala zepeda zimmermann zuniga zurita`

export const commonNames: ReadonlySet<string> = new Set(`${givenNames} ${surnames}`.split(/\s+/).filter(Boolean))
