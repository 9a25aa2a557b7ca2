package check

import (
	"tenfold/internal/set"
)

// The words by which a check tells what a summary claims of a name. They are
// few on purpose: what no word speaks of counts as said to be there. Languages
// written without blanks have signs, which are looked for anywhere.
var (
	// planWords speak of what is not there, or need not be: planned, wanted,
	// missing, an example.
	planWords = set.Words(`next todo pending remaining later soon upcoming future planned plan plans planning propose proposes proposed
		proposal suggest suggests suggested suggestion recommend recommends recommended intend intends intended want wants wanted
		need needs needed required expected maybe perhaps example examples instance hypothetical possible possibly optional
		optionally if missing absent lacks lacking without no none nonexistent yet create add write implement introduce build make
		move rename extract put place start begin consider continue let let's such like instead
		nächste nächster nächstes nächsten noch fehlt fehlen offen geplant kein keine keinen anlegen schreiben erstellen
		prochain prochaine suivant suivante reste restent créer écrire aucun aucune ajouter
		próximo próxima siguiente seguinte pendiente pendente falta crear criar escribir escrever añadir adicionar`)
	planSigns = []string{"e.g.", "E.g.", "z.B.", "下一步", "接下来", "计划", "将要", "需要", "尚未", "予定", "次に", "まだ", "다음", "예정"}
	// turnWords make a verb that follows within three words one of a plan.
	turnWords = set.Words(`will would should could can cannot must may might shall not never don't doesn't didn't won't wasn't isn't
		aren't can't couldn't shouldn't wouldn't hasn't haven't soll sollen sollte muss müssen wird werden nicht sera seront doit doivent pas
		será deve debe não`)
	// doneWords are past forms that do not end in "ed".
	doneWords = set.Words(`wrote written made ran built found saw seen did done rewrote rewritten split cut kept got went took
		geändert erstellt geschrieben gelesen gelöscht hinzugefügt modifié créé écrit supprimé ajouté lu
		modificado creado criado escrito eliminado añadido leído lido`)
	// missingWords say of the name before them that it is not there.
	missingWords = set.Words(`not missing absent nonexistent doesn't don't isn't wasn't didn't never nowhere fehlt manque falta`)
	// planTitles are words of headings over what is planned.
	planTitles = set.Words(`next todo todos to-do pending remaining planned plan plans future upcoming proposed proposal proposals suggested
		suggestion suggestions recommended recommendation recommendations optional outstanding missing ideas unfinished later
		backlog follow nächste offene offen geplant prochaines reste pendiente pendientes pendente pendentes`)
	openThings = set.Words(`tasks task items item questions points issues todos work ends`)
	// people are whom a summary calls the user.
	people = set.Words(`user users user's person human requester customer nutzer nutzerin benutzer benutzerin anwender anwenderin
		utilisateur utilisatrice usuario usuaria usuário usuária utilizador utente`)
	peopleSigns = []string{"用户", "ユーザー", "사용자"}
	// speechWords are how a summary says that somebody said something.
	speechWords = set.Words(`said says say saying wrote writes written asked asks asking requested requests request demanded demands
		told tells instructed instructs insisted insists stated states confirmed confirms approved approves allowed permitted
		authorized authorised replied replies answered answers feedback message messages quote quoted words word typed noted
		complained wants wanted sagte sagt schrieb bat verlangte dit écrit demandé dijo pidió disse pediu`)
	speechSigns = []string{"说", "言", "말"}
	// polarWords turn a sentence round, or widen what it allows.
	polarWords = set.Words(`not no never none nothing nobody don t dont cannot without only unless except all any every everything always
		may must nicht kein keine nie niemals nur pas jamais rien aucun sans nunca sin não sem`)
)
