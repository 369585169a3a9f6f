import { parseMounts } from '#adapters/node/agent/machine/mounts.ts'
import { fromChrony, fromTimedatectl } from '#adapters/node/agent/machine/read-clock.ts'
import { parseInstalled, parsePolicy } from '#adapters/node/agent/machine/read-packages.ts'
import { opened, parsersOf } from './parser-list.ts'

/** What the programs of the machine answer, of packages and archives that others name. */
export const machineParsers = parsersOf('machine', 64 * 1024, {
  'adapters/node/agent/machine/mounts.ts parseMounts': opened(
    ['1 2 3:4 / /home rw - ext4 /dev/x ', '1 2 3:4 / /'],
    parseMounts,
  ),
  'adapters/node/agent/machine/read-clock.ts fromTimedatectl': opened(
    ['NTPSynchronized='],
    fromTimedatectl,
  ),
  'adapters/node/agent/machine/read-clock.ts fromChrony': opened(
    ['A,B,1,2,3,4,5,6,7,8,9,10,11,'],
    fromChrony,
  ),
  'adapters/node/agent/machine/read-packages.ts parsePolicy': opened(
    ['php8.2-fpm:\n  Installed: 1\n  Candidate: 2\n     2 500\n        500 ', 'a:\n  Installed: '],
    parsePolicy,
  ),
  'adapters/node/agent/machine/read-packages.ts parseInstalled': opened(
    ['php8.2', 'libmariadb3 installed\n'],
    parseInstalled,
  ),
})
