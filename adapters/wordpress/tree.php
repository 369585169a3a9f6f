<?php
/** Sends the files of a site, and takes them into a folder; see runner.php. */

namespace Berth\Runner;

/** It is there in staging copies. */
const MARK_FILE = 'wp-content/mu-plugins/berth-staging.php';
/** What stays where it is: caches, and what would be shared with the site that is copied. */
const LEFT_OUT = ['.well-known', 'wp-content/cache', 'wp-content/object-cache.php', MARK_FILE];
const CHUNK_BYTES = 1048576;
const MOST_ENTRIES = 500000;
const MOST_DEPTH = 60;

/**
 * What goes along, folders before what is in them: `$each(path, whole, kind)` with `d`, `f` or `l`.
 * Other installations below are others' copies, with a database of their own.
 */
function walk(string $folder, array $without, callable $each): void
{
	$count = 0;
	$look = static function (string $below, int $depth) use (&$look, &$count, $folder, $without, $each): void {
		if ($depth > MOST_DEPTH) throw new Refusal('Its folders are too deep.');
		$names = scandir("$folder/$below");
		if ($names === false) throw new Refusal("The folder $below cannot be read.");
		foreach ($names as $name) {
			$path = $below === '' ? $name : "$below/$name";
			if ($name === '.' || $name === '..' || strpos($path, '.berth-') === 0) continue;
			if (in_array($path, LEFT_OUT, true) || in_array($path, $without, true)) continue;
			$whole = "$folder/$path";
			$kind = is_link($whole) ? 'l' : (is_dir($whole) ? 'd' : (is_file($whole) ? 'f' : null));
			if ($kind === null || ($kind === 'd' && is_file("$whole/wp-load.php"))) continue;
			if (++$count > MOST_ENTRIES) throw new Refusal('It has too many files.');
			$each($path, $whole, $kind);
			if ($kind === 'd') $look($path, $depth + 1);
		}
	};
	$look('', 0);
}

/** Bytes that a copy takes, in whole blocks, and how many entries. */
function sizeOf(string $folder, array $without): array
{
	$size = ['bytes' => 0, 'entries' => 0];
	walk($folder, $without, static function (string $path, string $whole, string $kind) use (&$size): void {
		$size['entries']++;
		$size['bytes'] += $kind === 'f' ? (int) ceil(filesize($whole) / 4096) * 4096 : 4096;
	});
	return $size;
}

/** Whether a link leads to something in the same copy, as its words say. */
function staysInside(string $path, string $target): bool
{
	if ($target === '' || $target[0] === '/') return false;
	$at = array_slice(explode('/', $path), 0, -1);
	foreach (explode('/', $target) as $part) {
		if ($part === '' || $part === '.') continue;
		if ($part !== '..') $at[] = $part;
		elseif (array_pop($at) === null) return false;
	}
	return true;
}

/** Sends the files of a site, with a configuration that holds none of its secrets. Links that lead out stay. */
function packFiles(array $order): array
{
	$out = Frames::toSend();
	$skipped = 0;
	$config = realpath(configFile($order['folder']));
	$mode = static fn (string $whole): string => sprintf('%04o', fileperms($whole) & 0777);
	walk($order['folder'], $order['without'], static function (string $path, string $whole, string $kind) use ($out, &$skipped, $mode): void {
		if ($path === 'wp-config.php') return;
		if ($kind === 'd') $out->send('d', $mode($whole) . $path);
		elseif ($kind === 'f') {
			$from = @fopen($whole, 'r');
			if ($from === false) throw new Refusal("The file $path cannot be read.");
			$out->send('f', $mode($whole) . $path);
			while (($bytes = fread($from, CHUNK_BYTES)) !== false && $bytes !== '') $out->send('c', $bytes);
			fclose($from);
		} elseif (staysInside($path, (string) readlink($whole))) $out->send('l', "$path\0" . readlink($whole));
		else $skipped++;
	});
	$out->send('f', '0600wp-config.php');
	$out->send('c', withoutSecrets((string) file_get_contents($config)));
	$out->end();
	return ['skipped' => $skipped];
}

/** A path that was sent, below the folder that it goes to. */
function placed(string $folder, string $path): string
{
	foreach (explode('/', $path) as $part)
		if ($part === '' || $part === '.' || $part === '..' || strlen($part) > 255 || strpos($part, "\0") !== false)
			throw new Refusal('What was sent has a name that no file can have.');
	return "$folder/$path";
}

/** Takes files into a folder that is not there yet. Links come last, so that nothing is written through one. */
function unpackFiles(array $order): array
{
	$folder = $order['folder'];
	if (!mkdir($folder, 0755, true)) throw new Refusal('The folder cannot be made.');
	$in = Frames::toTake();
	$modes = [];
	$links = [];
	$to = null;
	$full = 'A file could not be written. Is there enough room in the account?';
	for ($count = 0; ($frame = $in->take()) !== null;) {
		[$kind, $bytes] = $frame;
		if ($kind === 'c') {
			if ($to === null || fwrite($to, $bytes) !== strlen($bytes)) throw new Refusal($full);
			continue;
		}
		if ($to !== null && !fclose($to)) throw new Refusal($full);
		$to = null;
		if (++$count > MOST_ENTRIES) throw new Refusal('It has too many files.');
		if ($kind === 'l') {
			[$path, $target] = explode("\0", $bytes, 2) + ['', ''];
			if (!staysInside($path, $target)) throw new Refusal('What was sent has a link that leads out.');
			$links[placed($folder, $path)] = $target;
			continue;
		}
		$whole = placed($folder, substr($bytes, 4));
		$mode = octdec(substr($bytes, 0, 4)) & 0777;
		if ($kind === 'd') {
			if (!mkdir($whole, 0755)) throw new Refusal('A folder could not be made. Is there enough room in the account?');
			$modes[$whole] = $mode;
		} elseif ($kind === 'f') {
			$to = @fopen($whole, 'x');
			if ($to === false) throw new Refusal($full);
			chmod($whole, $mode);
		} else throw new Refusal('What was sent is of no known kind.');
	}
	if ($to !== null && !fclose($to)) throw new Refusal($full);
	foreach ($links as $whole => $target) if (!symlink($target, $whole)) throw new Refusal($full);
	foreach (array_reverse($modes, true) as $whole => $mode) chmod($whole, $mode);
	return ['entries' => $count];
}

/**
 * Keeps in a new tree what the site has that no copy has: what visitors uploaded meanwhile, and its
 * object cache. By further names of the same files, so they take no room.
 */
function keepLive(array $order): array
{
	['live' => $live, 'fresh' => $fresh] = $order;
	$kept = 0;
	$keep = static function (string $path) use ($live, $fresh, &$kept): void {
		if (file_exists("$fresh/$path") || is_link("$fresh/$path") || is_link("$live/$path")) return;
		if (!@link("$live/$path", "$fresh/$path") && !copy("$live/$path", "$fresh/$path"))
			throw new Refusal("The file $path could not be kept.");
		$kept++;
	};
	$look = static function (string $below, int $depth) use (&$look, $live, $fresh, $keep): void {
		if ($depth > MOST_DEPTH || is_link("$live/$below") || is_link("$fresh/$below")) return;
		if (!is_dir("$fresh/$below") && !mkdir("$fresh/$below", 0755)) throw new Refusal("The folder $below could not be kept.");
		foreach ((array) @scandir("$live/$below") as $name) {
			if ($name === '.' || $name === '..') continue;
			if (is_file("$live/$below/$name")) $keep("$below/$name");
			elseif (is_dir("$live/$below/$name")) $look("$below/$name", $depth + 1);
		}
	};
	if (is_dir("$fresh/wp-content")) {
		if (is_dir("$live/wp-content/uploads")) $look('wp-content/uploads', 0);
		if (is_file("$live/wp-content/object-cache.php")) $keep('wp-content/object-cache.php');
	}
	return ['kept' => $kept];
}
