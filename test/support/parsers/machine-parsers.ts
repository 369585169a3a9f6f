import { parseMounts } from '#adapters/node/machine/mounts.ts'
import { fromChrony, fromTimedatectl } from '#adapters/node/agent/machine/read-clock.ts'
import { parseInstalled, parsePolicy } from '#adapters/node/agent/machine/read-packages.ts'
import { groupHierarchies } from '#adapters/node/process/account-groups/group-mounts.ts'
import { numberIn } from '#adapters/node/process/account-groups/number-in.ts'
import { isSystemHash, systemHashFault } from '#handlers/domain/accounts/system-hash.ts'
import { opened, parsersOf } from './parser-list.ts'

/** What the programs of the machine answer, of packages and archives that others name. */
export const machineParsers = parsersOf('machine', 64 * 1024, {
  'adapters/node/machine/mounts.ts parseMounts': opened(
    ['1 2 3:4 / /home rw - ext4 /dev/x ', '1 2 3:4 / /'],
    parseMounts,
  ),
  'adapters/node/process/account-groups/group-mounts.ts groupHierarchies': opened(
    ['1 2 0:3 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n', '1 2 0:3 /a\\040'],
    (text) => groupHierarchies(text, `0::/\n1:cpu:${text}`),
  ),
  'adapters/node/process/account-groups/number-in.ts numberIn': opened(
    ['oom_kill 1\n', 'low '],
    (text) => numberIn(text, 'oom_kill'),
  ),
  'handlers/domain/accounts/system-hash.ts isSystemHash': opened(['$6$', '$y$j9T$'], isSystemHash),
  'handlers/domain/accounts/system-hash.ts systemHashFault': opened(
    ['$6$rounds=5000$', '$y$j9T$', '$7$CU..../....'],
    systemHashFault,
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
