import { awaitReady } from '#adapters/node/service/await-ready.ts'
import { readyPlaces } from '#adapters/node/service/pid-service.ts'
import { findSupervisor } from '#adapters/node/service/find-supervisor.ts'
import { readServiceState } from '#adapters/node/service/service-state.ts'
import type { ResourceSpec } from '../panel/frame/command-types.ts'
import { paint } from '../terminal/paint.ts'
import { install, uninstall } from './service-install.ts'
import { logs } from './service-logs.ts'
import { serviceCommand, type ServiceContext } from './service-parts.ts'

/** Exit code of a service that does not run, as systemctl's and LSB's. */
const NOT_RUNNING = 3
/** Exit code of one that runs, but not on all of its ports. */
const NOT_EVERYWHERE = 1

/** Says what runs after an order to start, and which ports it does not have. */
const printStarted = (
  { config, print }: ServiceContext,
  started: boolean,
  text: (pid: number | null) => string,
): void => {
  const { pid, ports } = readServiceState(config)
  print({ started, pid, ports }, text(pid))
  if (ports.length === 0) return
  for (const problem of ports) console.error(problem)
  process.exitCode = NOT_EVERYWHERE
}

const showStatus = async ({ config, manager, options, print }: ServiceContext): Promise<void> => {
  const wait = options.isOn('wait')
  const found = findSupervisor(config.paths.run_dir, config.file)
  if (wait && found !== null) await awaitReady(readyPlaces(config), found)
  const state = readServiceState(config)
  const enabled = await manager.isEnabled()
  const facts = { ...state, manager: manager.kind, enabled, config: config.file }
  const head = state.state === 'running' ? paint('green', 'running') : paint('red', state.state)
  const held = state.ports.length > 0
  const lines = [
    state.pid === null ? head : `${head}, process ${state.pid}, for ${state.uptime_secs} s`,
    ...state.processes.map(({ name, pid }) => `  ${name.padEnd(6)} ${pid}`),
    ...state.ports.map((problem) => `  ${paint('red', problem)}`),
    `${enabled ? 'Starts' : 'Does not start'} with the machine (${manager.kind}).`,
  ]
  print(facts, lines.join('\n'))
  // A service manager that asks must not take down what runs because of a port.
  const failed = held && !wait ? NOT_EVERYWHERE : 0
  process.exitCode = state.state === 'running' ? failed : NOT_RUNNING
}

const order = (
  name: string,
  summary: string,
  note: string,
  act: (context: ServiceContext) => void | Promise<void>,
) => ({ [name]: serviceCommand({ summary, note, examples: [`berth service ${name}`], act }) })

/** `berth service …`. */
export const service: ResourceSpec = {
  name: 'service',
  summary: 'run the panel and the web server in the background',
  commands: {
    install,
    uninstall,
    ...order(
      'start',
      'start it and wait until everything serves',
      'Through systemd where its unit is about this configuration (berth service install), else as a process of its own, known by <run_dir>/supervisor.pid. Exit code 1 also when it runs but another program holds a port of the sites: who does is said, and the port is tried again every few seconds.',
      async (context) => {
        const started = await context.manager.start()
        printStarted(context, started, (pid) =>
          started ? `Berth is running (process ${pid}).` : 'Berth runs already.',
        )
      },
    ),
    ...order(
      'stop',
      'answer what is under way, then end',
      'That nothing runs is no failure.',
      async ({ manager, print }) => {
        const stopped = await manager.stop()
        print({ stopped }, stopped ? 'Stopped.' : 'Berth did not run.')
      },
    ),
    ...order(
      'restart',
      'stop, then start',
      'Needed for addresses, paths and the like; what a reload takes up needs no interruption.',
      async (context) => {
        await context.manager.restart()
        printStarted(context, true, (pid) => `Berth is running (process ${pid}).`)
      },
    ),
    ...order(
      'reload',
      'take up a changed configuration, without an interruption',
      'A configuration with mistakes changes nothing: exit code 2 and every mistake. Keys that changed but need a restart are named.',
      async ({ manager, print }) => {
        const { virtual_hosts, restart_needed } = await manager.reload()
        const waiting =
          restart_needed.length === 0
            ? ''
            : `\nStill as before until berth service restart: ${restart_needed.join(', ')}.`
        print(
          { reloaded: true, virtual_hosts, restart_needed },
          `Reloaded: ${virtual_hosts} virtual hosts.${waiting}`,
        )
      },
    ),
    status: serviceCommand({
      summary: 'show whether it runs',
      note: 'Exit code 0: it runs. 3: it does not (yet). 1: it runs, but a port of the sites is held by another program, which is named (with --wait that is 0 too).',
      options: [['--wait', 'when it is starting, wait until it serves or has ended']],
      examples: ['berth service status', 'berth service status --json | jq -r .state'],
      act: showStatus,
    }),
    ...order(
      'enable',
      'start it with the machine',
      'Through systemd, or where there is none through cron (/etc/cron.d/berth).',
      async ({ manager, print }) => {
        const missing = await manager.enable()
        print(
          { enabled: true, missing },
          `Starts with the machine.${missing === null ? '' : ` ${missing}`}`,
        )
      },
    ),
    ...order(
      'disable',
      'no longer start it with the machine',
      'What runs goes on.',
      async ({ manager, print }) => {
        await manager.disable()
        print({ enabled: false }, 'Does not start with the machine.')
      },
    ),
    logs,
    ...order(
      'reopen-logs',
      'go on in new log files after the present ones were renamed',
      'Called by the rotation of logs that berth service install sets up.',
      ({ manager, print }) => {
        manager.reopenLogs()
        print({ reopened: true }, 'Logs are reopened.')
      },
    ),
  },
}
