import type { MachineLimits } from '../../../ports/host/machine.ts'
import type { MachineDiagnosis } from './judgement.ts'

/** From here on a peak may reach it. */
const HIGH_PART = 0.8
const REACHED_PART = 0.95
/** The web server's own listen queue; the kernel cuts it to this bound. */
const LISTEN_QUEUE = 4096
/** `vm.overcommit_memory`: a fork needs as much memory as its parent has, though it never uses it. */
const STRICT_OVERCOMMIT = 2

const CURES: Readonly<Record<string, string>> = {
  'fs.file-max': 'Raise it: sysctl -w fs.file-max=..., and a line in /etc/sysctl.d.',
  'kernel.pid_max':
    'Look for what starts so many (ps -eLf); raise it: sysctl -w kernel.pid_max=4194304, and a line in /etc/sysctl.d.',
  'kernel.threads-max':
    'Look for what starts so many (ps -eLf); raise it: sysctl -w kernel.threads-max=..., and a line in /etc/sysctl.d.',
  'pids.max':
    'It is the bound of the control group (of the container, or TasksMax of the service): raise it there.',
  'net.netfilter.nf_conntrack_max':
    'New connections are dropped when it is reached; raise it: sysctl -w net.netfilter.nf_conntrack_max=..., and a line in /etc/sysctl.d.',
  'open files of the web server':
    'Lower [server] max_connections, or raise LimitNOFILE of the service (ulimit -n where there is no systemd), and restart Berth.',
}

/** Bounds of the kernel that are nearly reached, and settings that make programs fail. */
export const judgeLimits = ({
  filling,
  somaxconn,
  overcommit,
}: MachineLimits): MachineDiagnosis[] => {
  const found: MachineDiagnosis[] = []
  for (const { name, used, limit } of filling) {
    if (limit <= 0 || used < limit * HIGH_PART) continue
    found.push({
      kind: 'limit',
      level: used >= limit * REACHED_PART ? 'fault' : 'warning',
      subject: name,
      what: `is nearly reached: ${used} of ${limit}`,
      fix: CURES[name] ?? 'Raise it.',
    })
  }
  if (somaxconn !== null && somaxconn < LISTEN_QUEUE)
    found.push({
      kind: 'limit',
      level: 'warning',
      subject: 'net.core.somaxconn',
      what: `is ${somaxconn}`,
      why: `At most so many connections wait to be accepted; the web server asks for ${LISTEN_QUEUE}, and in a rush visitors are turned away.`,
      fix: 'Raise it: sysctl -w net.core.somaxconn=4096, and a line in /etc/sysctl.d; then restart Berth.',
    })
  if (overcommit === STRICT_OVERCOMMIT)
    found.push({
      kind: 'limit',
      level: 'warning',
      subject: 'vm.overcommit_memory',
      what: `is ${STRICT_OVERCOMMIT}`,
      why: 'Processes cannot be started although memory is free: a start asks for as much as its parent has.',
      fix: 'Set it to 0: sysctl -w vm.overcommit_memory=0, and a line in /etc/sysctl.d.',
    })
  return found
}
