import type { doctor as english } from '../en/doctor.ts'

/** German texts of the doctor on the System screen. */
export const doctor: typeof english = {
  title: 'Doktor',
  examine: 'Untersuchen',
  again: 'Erneut untersuchen',
  lead: 'Vergleicht die Aufzeichnungen mit der Maschine und sieht nach Datenträgern, Arbeitsspeicher, Uhr, Prozessen, Ports, Datenbankservern, Zertifikaten, Sicherungen, Paketen und Grenzen des Kernels.',
  busy: 'Sieht nach …',
  clean: 'Alles ist in Ordnung.',
  warnings: (count) =>
    `Alles ist in Ordnung; ${count === 1 ? 'eines' : `${count} Dinge`} zu beachten.`,
  faults: (count) => `${count === 1 ? 'Eines ist' : `${count} Dinge sind`} nicht in Ordnung.`,
  fault: 'Fehler',
  warning: 'Warnung',
  why: 'Warum es zählt',
  fix: 'Was zu tun ist',
  repairs: 'berth doctor --fix erledigt das:',
  skipped: 'Nicht angesehen',
}
