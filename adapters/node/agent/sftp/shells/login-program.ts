import {
  applicationPlace,
  REPOSITORY_NAME,
} from '#handlers/domain/applications/application-place.ts'
import { TENANT_OOM_SCORE } from '../../../process/as-user.ts'
import { SHELL_COMMAND } from '../../../sshd/render-drop-in.ts'
import { REPOSITORY_VARIABLE } from './push-hook.ts'

/** Where the room of a shell has what Berth puts into it. */
export const OWN_PLACE = '/run/berth'
/** What all rooms share. */
export const SHARED_PLACE = `${OWN_PLACE}/shared`
/** The limits of the account, a line each, as options of prlimit(1). */
export const LIMITS_FILE = `${OWN_PLACE}/limits`
/** What the room is for: a line with its `RoomMode`. */
export const MODE_FILE = `${OWN_PLACE}/mode`
/** `git`: the account's repositories with git, and files over SFTP; nothing else is run. */
export type RoomMode = 'shell' | 'git'
/** In what all rooms share: the hooks of git, root's. */
export const HOOKS = 'git-hooks'
/** Holds `php`, the account's. */
export const PHP_PLACE = `${OWN_PLACE}/php`

/** The number of prctl(2) by Node's name of the machine; it has no command of its own. */
const PRCTL: Readonly<Partial<Record<NodeJS.Architecture, number>>> = {
  x64: 157,
  arm64: 167,
  riscv64: 167,
  arm: 172,
  ia32: 172,
  ppc64: 171,
  s390x: 172,
}

/**
 * What every session begins with, whatever was asked for: sshd starts it in place of the shell
 * that passwd(5) names, as the account, and it is root's. It takes the limits and gives up new
 * rights before it runs anything of the account's; of its environment it keeps what it knows.
 * That the kernel ends it before the host's programs when memory is short it asks for as the
 * account, which therefore may take it back: root is not among those who start it.
 * What was asked for it tells the agent, which does not learn it from sshd: that knows this program
 * alone. Where it lies to nobody but its account, that could say the same at the same place.
 * Git at a repository of an application's it starts itself, in both modes: by a name that can be
 * nothing else, with root's hooks and none of the repository's, and without settings of anybody's
 * by which git would run something for who pushes.
 * A key may be for one repository alone, as the command of its line says. sshd hands it over as the
 * word behind `-c`, out of a file of root's, which nobody in the account can change; what the client asked
 * for is in a variable then. Only where nothing is forced, for a password, that word is the client's.
 * As a subreaper (prctl(2)) it stays above what leaves its session, which so can be told from
 * what a session left behind.
 */
export const loginProgram = (machine: NodeJS.Architecture = process.arch): string => {
  const prctl = PRCTL[machine]
  return `#!/usr/bin/perl -T
# Written by Berth. What a session of an account begins with (${SHELL_COMMAND}).
use strict;
use Socket;
my %given = %ENV;
my $word = @ARGV == 2 && $ARGV[0] eq '-c' ? $ARGV[1] : undef;
my ($forced, $may, $only) = defined $word
  ? $word =~ /\\A(${SHELL_COMMAND})(?: (pull|push) ([a-z][a-z0-9-]{0,31}))?\\z/ : ();
die "What this key opens cannot be read.\\n" if defined $word && !defined $forced && $word =~ /\\A${SHELL_COMMAND}/;
my $asked = defined $forced ? $given{SSH_ORIGINAL_COMMAND} : $word;
my ($order) = defined $asked ? $asked =~ /\\A(.*)\\z/s : ();
my @known = qw(TERM LANG TZ SSH_CLIENT SSH_CONNECTION SSH_TTY);
push @known, grep { /\\ALC_[A-Z]+\\z/ } keys %given;
my ($name, $home) = (getpwuid $<)[0, 7] or die "This account is not known here.\\n";
%ENV = map { $_ => $given{$_} } grep { defined $given{$_} } @known;
@ENV{qw(USER LOGNAME HOME SHELL PATH)} =
  ($name, $name, $home, '/bin/bash', '${PHP_PLACE}:/usr/local/bin:/usr/bin:/bin');
open my $file, '<', '${LIMITS_FILE}' or die "The limits of this account cannot be read.\\n";
my @limits = map { /\\A(--[a-z]+=\\d+:\\d+)\\n\\z/ ? $1 : die "A limit cannot be read.\\n" } <$file>;
close $file;
die "There are no limits.\\n" unless @limits;
my $mode = '';
if (open my $said, '<', '${MODE_FILE}') { $mode = <$said>; close $said; }
my ($service, $repository) = defined $order
  ? $order =~ m{\\Agit-(receive-pack|upload-pack|upload-archive) '(?:~/|/)?([a-z][a-z0-9-]{0,31})\\.git/?'\\z} : ();
my ($house) = $home =~ m{\\A(/.*)\\z}s;
my $place = defined $repository ? "$house/${applicationPlace('$repository')}/${REPOSITORY_NAME}" : '';
my $git = defined $service && -d $place ? $service : undef;
umask 022;
if (open my $score, '>', '/proc/self/oom_score_adj') { print $score "${TENANT_OOM_SCORE}\\n"; close $score; }
${prctl === undefined ? '' : `syscall ${prctl}, 36, 1, 0, 0, 0;\n`}my @session =
    defined $git
    ? ('/usr/bin/git', '-c', 'core.hooksPath=${SHARED_PLACE}/${HOOKS}', '-c', 'core.alternateRefsCommand=/bin/true',
       '-c', 'receive.certNonceSeed=', '-c', 'transfer.fsckObjects=true', $git, $place)
  : defined $order && $order =~ m{\\A(?:/\\S+/sftp-server|internal-sftp)(?: |\\z)}
    ? ('${SHARED_PLACE}/sftp-server', '-l', 'INFO', '-u', '0022')
  : $mode ne "shell\\n" ? ()
  : !defined $order ? ('/bin/bash', '-l')
  : ('/bin/bash', '-c', $order);
if (defined $only) {
  my %services = (pull => { 'upload-pack' => 1 }, push => { 'upload-pack' => 1, 'receive-pack' => 1 });
  unless (defined $service && $repository eq $only && $services{$may}{$service}) {
    print STDERR "This key is for the repository $only.git alone, to $may.\\n";
    exit 128;
  }
  @session = () unless defined $git;
}
unless (@session) {
  print STDERR defined $repository ? "This account has no repository $repository.git.\\n"
    : "This account has no shell: its files are reached over SFTP, its repositories with git.\\n";
  exit 128;
}
if (defined $git) {
  @ENV{qw(GIT_CONFIG_NOSYSTEM GIT_CONFIG_GLOBAL ${REPOSITORY_VARIABLE})} = ('1', '/dev/null', $repository);
}
my $agent;
my $kind =
    !defined $order ? 'shell'
  : defined $git ? 'command'
  : $session[0] ne '/bin/bash' ? 'sftp'
  : $order =~ m{\\Ascp (?:-\\S+ )*-[tf](?: |\\z)} ? 'scp'
  : $order =~ m{\\Arsync --server(?: |\\z)} ? 'rsync'
  : 'command';
if (socket($agent, AF_UNIX, SOCK_STREAM, 0) && connect($agent, pack_sockaddr_un('/dev/log'))) {
  syswrite $agent, '<38>' . substr(scalar(localtime), 4, 15) . " berth-login[$$]: $kind for @{[getppid]}\\0";
  close $agent;
}
exec { '/usr/bin/prlimit' } 'prlimit', @limits, '--', '/usr/bin/setpriv', '--no-new-privs', '--', @session;
die "No session can be begun: $!\\n";
`
}
