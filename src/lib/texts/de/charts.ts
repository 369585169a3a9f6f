import type { charts as english } from '../en/charts.ts'

/** Deutsche Texte der Diagramme. */
export const charts: typeof english = {
  requests: 'Anfragen und Cache',
  requestsPerSec: 'Anfragen/s',
  hitRate: 'Trefferquote',
  usage: 'CPU und Arbeitsspeicher',
  cpu: 'CPU',
  memory: 'Arbeitsspeicher',
  load: 'Systemlast',
  load1: '1 min',
  load5: '5 min',
  load15: '15 min',
  range: 'Zeitraum der Diagramme',
  ranges: { '15m': '15 min', '1h': '1 h', '24h': '24 h', '7d': '7 T.' },
  percent: (figure) => `${figure} %`,
  figures: (label, last, lowest, highest) =>
    `${label}: derzeit ${last}, niedrigster Wert ${lowest}, höchster Wert ${highest}.`,
  noFigures: (label) => `${label}: noch keine Werte.`,
  unknown: 'unbekannt',
  time: 'Zeit',
  asTable: (label) => `${label}: Werte als Tabelle`,
  showTable: 'Werte als Tabelle anzeigen',
  showChart: 'Diagramm anzeigen',
  empty: 'Für diesen Zeitraum gibt es noch keine Werte',
  failed:
    'Das Diagramm konnte nicht geladen werden. Laden Sie die Seite neu, um es noch einmal zu versuchen.',
  activity: { title: 'Aktivität' },
  cache: 'Cache',
  hits: (percent) => `${percent} Treffer`,
  noHits: 'noch nicht gefragt',
  stale: 'Die Diagramme stehen still: Das Panel antwortet nicht. Sie laufen von selbst weiter.',
}
