/** German texts of the choice of a machine, and of all of them at a glance. */
export const machines = {
  column: 'Maschine',
  own: 'Die Maschine des Panels',
  never: 'Noch nicht gefragt',
  all: 'Maschinen',
  awaySince: (time: string) => `Nicht erreichbar: letzte Antwort ${time}`,
  awayTitle: 'Maschinen, die nicht antworten',
  away: (name: string, time: string) => `${name} ist nicht erreichbar: letzte Antwort ${time}.`,
  awayNever: (name: string) => `${name} ist nicht erreichbar: Sie hat noch nie geantwortet.`,
  awayMeans:
    'Von ihren Konten ist zu sehen, was das Panel zuletzt wusste. Ihre Websites laufen womöglich weiter; Änderungen warten, bis sie zurück ist.',
  accounts: (count: number) => `${count} ${count === 1 ? 'Konto' : 'Konten'}`,
  isFree: (percent: number) => `${percent} % der Platte frei`,
  wasFree: (percent: number) => `${percent} % der Platte waren frei`,
  sites: (count: number) => `${count} ${count === 1 ? 'Website' : 'Websites'}`,
  disk: (room: string) => `Platte ${room}`,
  memory: (room: string) => `Arbeitsspeicher ${room}`,
  notCounted: (names: string) => `Platte und Arbeitsspeicher ohne ${names}`,
  state: {
    joining: 'Eingeladen',
    open: 'Offen',
    closed: 'Geschlossen',
    away: 'Nicht erreichbar',
    gone: 'Aufgegeben',
  },
}
