import type { MessageData } from '../notification-kinds.ts'
import type { NotificationTexts } from './en.ts'

const mb = (value: string | number | undefined): string => {
  const size = Number(value ?? 0)
  return size >= 1000
    ? `${String(Number((size / 1000).toFixed(1))).replace('.', ',')} GB`
    : `${size} MB`
}
const byHand = ({ by_hand }: MessageData): string =>
  by_hand === undefined
    ? ''
    : ' Seine Namen werden durch Einträge nachgewiesen, die Sie setzen: Bestellen Sie es neu, und setzen Sie die neuen.'
const because = ({ error }: MessageData): string => (error === undefined ? '' : ` ${error}`)

/** German. */
export const de: NotificationTexts = {
  messages: {
    'certificate.failed': (data) => ({
      title: `Kein Zertifikat für ${data['domain']}`,
      text: `Die letzte Bestellung für ${data['domain']} schlug fehl.${because(data)} Die Website behält, was sie hat.`,
    }),
    'certificate.expiring': (data) => ({
      title: `Das Zertifikat von ${data['domain']} läuft ab`,
      text: `Es gilt bis ${data['expires_at']} UTC; danach halten Browser Besucher fern.${byHand(data)}${because(data)}`,
    }),
    'certificate.expiring_10': (data) => ({
      title: `Das Zertifikat von ${data['domain']} läuft in zehn Tagen ab`,
      text: `Es gilt bis ${data['expires_at']} UTC; danach halten Browser Besucher fern.${byHand(data)}${because(data)}`,
    }),
    'certificate.expiring_3': (data) => ({
      title: `Das Zertifikat von ${data['domain']} läuft in drei Tagen ab`,
      text: `Es gilt bis ${data['expires_at']} UTC; danach halten Browser Besucher fern.${byHand(data)}${because(data)}`,
    }),
    'certificate.expired': (data) => ({
      title: `Das Zertifikat von ${data['domain']} ist abgelaufen`,
      text: `Es galt bis ${data['expires_at']} UTC. Browser halten Besucher fern.${byHand(data)}${because(data)}`,
    }),
    'backup.failed': (data) => ({
      title: `Eine Sicherung von ${data['username']} schlug fehl`,
      text: `Sie wurde um ${data['at']} UTC begonnen; seitdem entstand dort keine.`,
    }),
    'backup.overdue': (data) => ({
      title: `Die Sicherung von ${data['username']} ist überfällig`,
      text:
        data['newest'] === undefined
          ? 'Es gibt noch keine, obwohl nach dem Zeitplan eine fällig war.'
          : `Die neueste ist von ${data['newest']} UTC und damit älter, als der Zeitplan vorsieht.`,
    }),
    'backup.doubtful': (data) => ({
      title: `Eine Sicherung von ${data['username']} ließ sich nicht prüfen`,
      text: `Was um ${data['at']} UTC zurückgelesen wurde, war nicht vollständig. Erstellen Sie jetzt eine neue.`,
    }),
    'quota.disk_80': (data) => ({
      title: `${data['username']} hat 80 % des Speicherplatzes belegt`,
      text: `${mb(data['used_mb'])} von ${mb(data['quota_mb'])} sind belegt.`,
    }),
    'quota.disk_95': (data) => ({
      title: `${data['username']} hat 95 % des Speicherplatzes belegt`,
      text: `${mb(data['used_mb'])} von ${mb(data['quota_mb'])} sind belegt. Ist er voll, schlagen Uploads und Mails fehl.`,
    }),
    'quota.disk_full': (data) => ({
      title: `Der Speicherplatz von ${data['username']} ist voll`,
      text: `${mb(data['used_mb'])} von ${mb(data['quota_mb'])} sind belegt: Nichts lässt sich schreiben, bis etwas frei wird.`,
    }),
    'quota.bandwidth_80': (data) => ({
      title: `${data['username']} hat 80 % des Datenverkehrs dieses Monats verbraucht`,
      text: `${mb(data['used_mb'])} von ${mb(data['quota_mb'])} wurden gesendet.`,
    }),
    'quota.bandwidth_95': (data) => ({
      title: `${data['username']} hat 95 % des Datenverkehrs dieses Monats verbraucht`,
      text: `${mb(data['used_mb'])} von ${mb(data['quota_mb'])} wurden gesendet. Ist er aufgebraucht, schließen die Websites bis zum Monatsende.`,
    }),
    'quota.bandwidth_full': (data) => ({
      title: `Der Datenverkehr von ${data['username']} ist aufgebraucht`,
      text: `${mb(data['used_mb'])} von ${mb(data['quota_mb'])} wurden gesendet. Die Websites sind bis zum Monatsende geschlossen.`,
    }),
    'quota.memory': (data) => ({
      title: `Programme von ${data['username']} wurden aus Speichermangel beendet`,
      text: `Der Kernel hat binnen eines Tages ${data['count']} beendet, zuletzt um ${data['at']} UTC: Zusammen brauchten sie mehr Arbeitsspeicher, als der Tarif gibt.`,
    }),
    'disk.low': (data) => ({
      title: `Der Datenträger unter ${data['mount']} ist fast voll`,
      text: `${mb(data['free_mb'])} von ${mb(data['total_mb'])} sind frei.`,
    }),
    'disk.full': (data) => ({
      title: `Der Datenträger unter ${data['mount']} ist voll`,
      text: `${mb(data['free_mb'])} von ${mb(data['total_mb'])} sind frei. Sicherungen, Uploads, Zertifikate und Datenbanken, die dort schreiben, schlagen fehl.`,
    }),
    'disk.read_only': (data) => ({
      title: `Der Datenträger unter ${data['mount']} nimmt nichts an`,
      text: 'Er ist nur lesbar eingehängt; der Kernel tut das, wenn ein Datenträger versagt.',
    }),
    'job.failed': (data) => ({
      title: `Eine Arbeit an ${data['subject']} schlug fehl`,
      text: because(data).trim(),
    }),
    'cron.failed': (data) => ({
      title: `Der Cronjob ${data['name']} schlägt fehl`,
      text: `Er schlug ${data['failures']}-mal in Folge fehl (${data['username']}). Seine letzten Läufe sagen, warum.`,
    }),
    'login.new_place': (data) => ({
      title: 'Anmeldung von einem neuen Ort',
      text: `${data['device'] || 'Ein unbenanntes Programm'} mit der Adresse ${data['address']} hat sich um ${data['at']} UTC angemeldet. Waren Sie das nicht, ändern Sie jetzt Ihr Passwort: Das beendet alle Sitzungen.`,
    }),
    'security.password_changed': (data) => ({
      title: 'Ihr Passwort wurde geändert',
      text: `Um ${data['at']} UTC. Waren Sie das nicht, lassen Sie einen Administrator ein neues setzen.`,
    }),
    'security.password_set': (data) => ({
      title: 'Ein Administrator hat Ihr Passwort gesetzt',
      text: `Um ${data['at']} UTC. Alle früheren Sitzungen und API-Token sind beendet.`,
    }),
    'security.token_made': (data) => ({
      title: `API-Token ${data['name']} wurde erstellt`,
      text: `Um ${data['at']} UTC. Waren Sie das nicht, löschen Sie es und ändern Sie Ihr Passwort.`,
    }),
    'security.passkey_added': (data) => ({
      title: `Passkey ${data['name']} wurde hinzugefügt`,
      text: `Um ${data['at']} UTC. Er öffnet das Panel ohne Passwort und Code. Waren Sie das nicht, entfernen Sie ihn und ändern Sie Ihr Passwort.`,
    }),
    'security.second_factor_off': (data) => ({
      title: 'Ihr zweiter Faktor ist aus',
      text: `Seit ${data['at']} UTC genügt das Passwort allein. Waren Sie das nicht, ändern Sie es jetzt.`,
    }),
    'security.second_factor_taken': (data) => ({
      title: 'Ein Administrator hat Ihren zweiten Faktor entfernt',
      text: `Seit ${data['at']} UTC genügt das Passwort allein. Richten Sie einen neuen ein.`,
    }),
    'update.available': (data) => ({
      title: `Aktualisierungen für ${data['count']} Pakete`,
      text: `Von denen, die Berth braucht: ${data['names']}.`,
    }),
    'update.security': (data) => ({
      title: `Sicherheitsaktualisierungen für ${data['count']} Pakete`,
      text: `Von denen, die Berth braucht: ${data['names']}. Installieren Sie sie bald.`,
    }),
    'mail.relay': (data) => ({
      title: 'Mails gehen nicht hinaus',
      text: `Das Relay versagt seit ${data['since']} UTC: ${data['answer']}`,
    }),
    'machine.away': (data) => ({
      title: `Die Maschine ${data['name']} antwortet nicht`,
      text: `${data['since'] === undefined ? 'Sie hat es noch nie getan.' : `Zuletzt antwortete sie um ${data['since']} UTC.`} Ihre Seiten können durchaus weiterlaufen; bis sie zurück ist, lassen sich ihre Konten nicht ändern.`,
    }),
    'machine.back': (data) => ({
      title: `Die Maschine ${data['name']} ist zurück`,
      text: `Sie antwortet wieder${data['since'] === undefined ? '' : `, nachdem sie seit ${data['since']} UTC schwieg`}. Was bei ihren Konten offen blieb, wird nun erledigt.`,
    }),
    'machine.service': (data) => ({
      title: `${data['name']} läuft nicht, wie es soll`,
      text: `${data['why'] ? `${data['why']}. ` : ''}Es wird von selbst neu gestartet; „berth doctor“ sagt, wo nachzusehen ist.`,
    }),
    'machine.certificate': (data) => ({
      title: `Das Zertifikat der Maschine ${data['name']} läuft ab`,
      text: `Es gilt bis ${data['expires_at']} UTC und ließ sich nicht wechseln; danach erreicht das Panel diese Maschine nicht mehr. Von Hand: berth hosts rotate ${data['name']}`,
    }),
  },
  mail: {
    subject: (title) => `Berth: ${title}`,
    hello: (username) => `Hallo ${username},`,
    see: (address) => `Ansehen: ${address}`,
    many: (count) => `${count} Benachrichtigungen`,
    manyLead: (count) =>
      `${count} Dinge sind geschehen; sie kommen in einer Mail, damit es nicht viele werden:`,
    more: (count) => `und ${count} weitere, die das Panel zeigt`,
    why: 'Welche Mails Sie erhalten, stellen Sie im Panel unter Einstellungen, Benachrichtigungen ein.',
  },
}
