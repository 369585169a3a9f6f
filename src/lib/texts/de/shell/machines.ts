/** German texts of the choice of a machine, and of all of them at a glance. */
export const machines = {
  column: 'Maschine',
  own: 'Die Maschine des Panels',
  never: 'Noch nicht gefragt',
  all: 'Maschinen',
  awaySince: (time: string) => `Nicht erreichbar: letzte Antwort ${time}`,
  accounts: (count: number) => `${count} ${count === 1 ? 'Konto' : 'Konten'}`,
  isFree: (percent: number) => `${percent} % der Platte frei`,
  wasFree: (percent: number) => `${percent} % der Platte waren frei`,
  state: {
    joining: 'Eingeladen',
    open: 'Offen',
    closed: 'Geschlossen',
    away: 'Nicht erreichbar',
    gone: 'Aufgegeben',
  },
}
