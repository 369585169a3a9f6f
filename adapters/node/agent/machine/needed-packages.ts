/**
 * Packages whose holes are holes of what Berth runs: PHP and the libraries that it reads
 * hostile input with, the database servers, and the programs that the agent starts.
 * Names, or patterns of names, as dpkg has them.
 */
export const NEEDED_PACKAGES: readonly RegExp[] = [
  /^php\d[\d.]*(?:-[a-z0-9]+)?$/,
  /^libapache2-mod-php/,
  /^(?:lib)?mariadb(?:-|\d|d)/,
  /^postgresql(?:-client)?-\d+$/,
  /^libpq5$/,
  /^redis-(?:server|tools)$/,
  /^(?:restic|openssh-client)$/,
  /^libc6$/,
  /^(?:openssl|libssl\d)/,
  /^libcurl\d/,
  /^libxml2$/,
  /^libgd3$/,
  /^libicu\d/,
  /^libzip\d/,
  /^zlib1g$/,
  /^(?:passwd|login|util-linux|tar|gzip|logrotate|ca-certificates|tzdata)$/,
]

export const isNeeded = (name: string): boolean =>
  NEEDED_PACKAGES.some((pattern) => pattern.test(name))
