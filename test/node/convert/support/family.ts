/** Where a configuration of another server is tried out. */
export interface TrialPlace {
  /** Holds `etc/`, `sites/`, certificates and sockets. */
  directory: string
  port: number
  sslPort: number
  /** Of a php-fpm. */
  socket: string
  /** Of the same php-fpm, on 127.0.0.1. */
  phpPort: number
  certificate: string
  key: string
  /** Ports of two applications, which say their name and what they were asked. */
  apps: { web: number; stream: number }
}

/** One request: target, and what differs from a plain GET. */
export type FamilyAsk = readonly [
  target: string,
  options?: {
    host?: string
    secure?: boolean
    method?: string
    headers?: Record<string, string>
    /** What Berth answers instead, and why that is meant. */
    differs?: readonly [status: number, reason: string]
  },
]

/** Configurations of one shape, the sites they are about, and what both servers are asked. */
export interface Family {
  name: string
  server: 'apache' | 'nginx'
  /** Files by path below `etc/`. */
  config(place: TrialPlace): Record<string, string>
  /** Main file, below `etc/`. */
  main: string
  /** What is converted, below `etc/`; default: `main`. */
  input?: string
  /** Host of requests that name none. */
  host: string
  /** Files by path below `sites/`. */
  tree: Readonly<Record<string, string>>
  asks: readonly FamilyAsk[]
}

/** Shows what PHP was called with. */
export const ECHO = `<?php
header('Content-Type: text/plain; charset=utf-8');
foreach (['REQUEST_METHOD', 'REQUEST_URI', 'QUERY_STRING', 'SCRIPT_NAME', 'APP_ENV'] as $name)
  echo $name, '=', $_SERVER[$name] ?? '', "\\n";
`
