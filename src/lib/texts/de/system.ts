import { charts } from './charts.ts'
import { own } from './own.ts'
import type { system as english } from '../en/system.ts'

/** German texts of the Dashboard and the System screen. */
export const system: typeof english = {
  charts,
  dashboard: {
    running: (host) => `${host} · alles läuft`,
    busy: (host, load, cores) =>
      `${host} · alles läuft, aber ausgelastet: Load ${load} bei ${cores} ${cores === 1 ? 'Kern' : 'Kernen'}`,
    stopped: (host) => `${host} · der Webserver läuft nicht`,
    unknown: 'Der Zustand des Hosts ist nicht bekannt',
    accounts: 'Konten',
    domains: 'Domains',
    disk: 'Speicherplatz',
    license: 'Lizenz',
    left: (left, tier) => `noch ${left} mit ${tier}`,
    unlimited: (tier) => `Keine Grenze mit ${tier}`,
    diskUsed: (percent) => `zu ${percent} % belegt`,
    licenseInvalid: 'Die Lizenzdatei ist ungültig; es gelten die Grenzen von Community',
    licenseHelp: {
      community: 'LSAPI und mehr Konten: siehe Pro',
      pro: 'LSAPI enthalten',
      business: 'LSAPI enthalten, keine Grenzen',
    },
  },
  own,
  server: {
    title: 'Server',
    info: 'Angaben zum Server',
    hostname: 'Hostname',
    os: 'Betriebssystem',
    kernel: 'Kernel',
    uptime: 'Laufzeit',
    cpu: 'CPU',
    cores: (count) => `${count} ${count === 1 ? 'Kern' : 'Kerne'}`,
    memory: 'RAM',
    load: 'Last',
    arch: 'Architektur',
  },
  webServer: {
    title: 'Webserver',
    running: 'Läuft',
    stopped: 'Angehalten',
    missing: 'Nicht installiert',
    version: 'Version',
    pid: 'PID',
    uptime: 'Laufzeit',
    workers: 'Worker',
    hosts: 'Virtuelle Hosts',
    restart: 'Neu starten',
    reload: 'Neu laden',
    restarted: 'Webserver neu gestartet',
    reloaded: 'Webserver neu geladen',
    restartNeeded: 'Geändert, gilt aber erst nach einem Neustart von Berth:',
    none: 'keiner',
  },
  stalls: {
    title: 'Aufgehaltene Worker',
    lead: (count) =>
      `${count === 1 ? 'Ein Worker' : `${count}-mal ein Worker`} des Webservers tat am letzten Tag sekundenlang nichts.`,
    unknown: 'Keine bekannte Anfrage',
    ended: 'Worker ersetzt',
    rulesHeld: 'Regeln mit 503 beantwortet',
    pathHeld: 'Adresse mit 503 beantwortet',
  },
  system: {
    lead: 'Die Maschine und der Webserver darauf.',
    memory: 'Arbeitsspeicher',
    disk: 'Speicherplatz',
    load: 'Durchschnittliche Last',
    loadHelp: '1, 5 und 15 Minuten',
    processes: 'Prozesse',
    processesHelp: 'auf der ganzen Maschine',
    cpu: (percent) => `CPU bei ${percent} %`,
    refreshed: 'Auf dem neuesten Stand',
  },
}
