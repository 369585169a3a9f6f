/**
 * Variables that Debian's `envvars` exports: lines of `export NAME=value`, with
 * variables in them. Everything else of the shell script is skipped; nothing is run.
 */
export const readEnvvars = (text: string): Map<string, string> => {
  const found = new Map<string, string>([['SUFFIX', '']])
  for (const line of text.split('\n').slice(0, 10_000)) {
    const given = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(?:"([^"]*)"|'([^']*)'|([^\s;#]*))/.exec(line)
    if (!given) continue
    const [, name = '', double, single, bare] = given
    const value = (double ?? bare ?? '').replace(
      /\$\{?([A-Za-z_]\w*)\}?/g,
      (_, used: string) => found.get(used) ?? '',
    )
    if (name !== 'SUFFIX') found.set(name, (single ?? value).slice(0, 4096))
  }
  return found
}

/** What `envvars` holds on every Debian, for parts of a configuration without it. */
export const DEBIAN_ENVVARS: ReadonlyMap<string, string> = new Map([
  ['APACHE_RUN_USER', 'www-data'],
  ['APACHE_RUN_GROUP', 'www-data'],
  ['APACHE_PID_FILE', '/var/run/apache2/apache2.pid'],
  ['APACHE_RUN_DIR', '/var/run/apache2'],
  ['APACHE_LOCK_DIR', '/var/lock/apache2'],
  ['APACHE_LOG_DIR', '/var/log/apache2'],
])
