import { unavailable } from '#handlers/errors.ts'
import { SITE_PHP_RULES } from '#handlers/domain/php/site-php-rules.ts'
import type { PhpFacts } from '#handlers/ports/host/php.ts'
import type { PhpMode } from '#handlers/ports/store/records.ts'
import type { InstalledPhp } from '../../machine/find-php.ts'
import { START_VALUES } from './plans/fpm-config.ts'
import { phpIni } from './plans/php-ini.ts'
import { withScratchMaster, type ScratchDeps } from './scratch-master.ts'

/** Settings and extensions change with packages and php.ini alone. */
const BELIEVED_MS = 60_000
const MAX_EXTENSIONS = 500

const SCRIPT = `<?php
header('Content-Type: application/json');
$ini = [];
foreach (json_decode('${JSON.stringify(Object.keys(SITE_PHP_RULES))}') as $name) {
  $value = ini_get($name);
  if ($value !== false) $ini[$name] = (string) $value;
}
$extensions = [];
foreach (get_loaded_extensions() as $name)
  $extensions[] = ['name' => $name, 'version' => phpversion($name) ?: null];
echo json_encode(['version' => PHP_VERSION, 'ini' => (object) $ini, 'extensions' => $extensions]);
`

/** What the server sets itself, whatever php.ini says. */
const SERVER_NAMES: readonly string[] = [
  ...phpIni({
    home: '/',
    memoryLimit: '1M',
    requestTimeoutSecs: 1,
    databaseSocket: null,
    sendmailCommand: '',
    ini: {},
  }).open.map(([name]) => name),
  ...Object.keys(START_VALUES),
].filter((name) => Object.hasOwn(SITE_PHP_RULES, name))

const byName = (one: { name: string }, other: { name: string }): number =>
  one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1

/** The script is ours, and PHP the host's; what it says is held to its form all the same. */
const factsOf = (text: string): Omit<PhpFacts, 'maxBodyBytes'> => {
  const { version, ini, extensions } = JSON.parse(text) as Partial<PhpFacts>
  if (typeof version !== 'string' || typeof ini !== 'object' || !Array.isArray(extensions))
    throw new Error('PHP answered something else than was asked')
  return {
    version: version.slice(0, 50),
    ini: Object.fromEntries(Object.entries(ini).map(([name, value]) => [name, String(value)])),
    server: SERVER_NAMES,
    extensions: extensions
      .slice(0, MAX_EXTENSIONS)
      .map((one) => ({
        name: String(one.name).slice(0, 100),
        version: one.version === null ? null : String(one.version).slice(0, 100),
      }))
      .sort(byName),
  }
}

/** What a PHP says of itself, asked anew after a minute. Rejects with 503 where it does not start. */
export const createPhpFacts = (deps: ScratchDeps & { maxBodyBytes: number }) => {
  const known = new Map<string, { untilMs: number; facts: Promise<PhpFacts> }>()

  const ask = async (php: InstalledPhp, mode: PhpMode): Promise<PhpFacts> => {
    try {
      const what = { account: null, php, mode, script: SCRIPT }
      const text = await withScratchMaster(deps, what, (master) => master.request())
      return { ...factsOf(text), maxBodyBytes: deps.maxBodyBytes }
    } catch (error) {
      deps.log.warn('PHP does not say what it is', { version: php.version, error: String(error) })
      throw unavailable(
        `PHP ${php.version} (${mode}) did not start. Test it with "berth php test".`,
      )
    }
  }

  return (php: InstalledPhp, mode: PhpMode): Promise<PhpFacts> => {
    const key = `${php.version} ${mode}`
    const found = known.get(key)
    if (found !== undefined && performance.now() < found.untilMs) return found.facts
    const facts = ask(php, mode)
    known.set(key, { untilMs: performance.now() + BELIEVED_MS, facts })
    facts.catch(() => known.delete(key))
    return facts
  }
}
