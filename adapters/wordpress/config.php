<?php
/** Reads and writes constants of a wp-config.php; see runner.php. */

namespace Berth\Runner;

/** The file in the folder, or above it where WordPress looks as well. */
function configFile(string $folder): string
{
	foreach ([$folder, dirname($folder)] as $directory)
		if (is_file("$directory/wp-config.php") && ($directory === $folder || !is_file("$directory/wp-settings.php")))
			return realpath("$directory/wp-config.php");
	throw new Refusal('There is no wp-config.php.');
}

/**
 * Where `define('NAME', …);` statements stand in a text, by name: offset, length and the code of the value.
 * Found by PHP's own tokens, so neither comments nor texts are taken for one.
 *
 * @return array<string, array{int, int, string}[]>
 */
function definitions(string $text): array
{
	$found = [];
	$tokens = [];
	$at = 0;
	foreach (token_get_all($text, TOKEN_PARSE) as $token) {
		[$kind, $word] = is_array($token) ? $token : [null, $token];
		$tokens[] = [$kind, $word, $at];
		$at += strlen($word);
	}
	$skip = static function (int $index) use ($tokens): int {
		while (isset($tokens[$index]) && in_array($tokens[$index][0], [T_WHITESPACE, T_COMMENT, T_DOC_COMMENT], true)) $index++;
		return $index;
	};
	foreach ($tokens as $index => [$kind, $word, $start]) {
		if ($kind !== T_STRING || strtolower($word) !== 'define') continue;
		$next = $skip($index + 1);
		if (($tokens[$next][1] ?? '') !== '(') continue;
		$name = $skip($next + 1);
		if (($tokens[$name][0] ?? null) !== T_CONSTANT_ENCAPSED_STRING) continue;
		$comma = $skip($name + 1);
		if (($tokens[$comma][1] ?? '') !== ',') continue;
		$depth = 1;
		$value = '';
		for ($n = $comma + 1; isset($tokens[$n]); $n++) {
			if (in_array($tokens[$n][1], ['(', '['], true)) $depth++;
			if (in_array($tokens[$n][1], [')', ']'], true)) $depth--;
			if ($depth === 0) break;
			$value .= $tokens[$n][1];
		}
		$end = $skip($n + 1);
		if (($tokens[$end][1] ?? '') !== ';') continue;
		$found[trim($tokens[$name][1], '\'"')][] = [$start, $tokens[$end][2] + 1 - $start, trim($value)];
	}
	return $found;
}

/** The code of a constant's value as the file first defines it; null where it does not. */
function constantIn(string $text, string $name): ?string
{
	return definitions($text)[$name][0][2] ?? null;
}

/** The text with a constant so defined, or with `null` not at all. */
function withConstant(string $text, string $name, ?string $code): string
{
	$all = definitions($text)[$name] ?? [];
	$line = "define('$name', $code);";
	foreach (array_reverse($all, true) as $index => [$start, $length]) {
		$isKept = $code !== null && $index === 0;
		if (!$isKept && ($text[$start + $length] ?? '') === "\n") $length++;
		$text = substr_replace($text, $isKept ? $line : '', $start, $length);
	}
	if ($code === null || $all !== []) return $text;
	return preg_replace_callback('/^(\s*<\?php\b[^\n]*\n?)/', static fn ($open) => rtrim($open[1], "\n") . "\n$line\n", $text, 1);
}

/** Sets constants (`null` takes one away), with what the file says beside them as it was. */
function configure(array $order): array
{
	$file = configFile($order['folder']);
	$text = file_get_contents($file);
	try {
		foreach ($order['constants'] as $name => $code) $text = withConstant($text, $name, $code);
		token_get_all($text, TOKEN_PARSE);
	} catch (\ParseError $error) {
		throw new Refusal('wp-config.php is no PHP that can be changed: ' . $error->getMessage());
	}
	$fresh = $file . '.berth-' . bin2hex(random_bytes(6));
	writeNew($fresh, $text, fileperms($file) & 0777);
	if (!rename($fresh, $file)) throw new Refusal('wp-config.php could not be written.');
	return settings($order);
}

/** What the file says of debugging and of scheduled tasks. */
function settings(array $order): array
{
	try {
		$text = file_get_contents(configFile($order['folder']));
		$isOn = static fn (string $name): bool => in_array(strtolower((string) constantIn($text, $name)), ['true', '1'], true);
		return ['debug' => $isOn('WP_DEBUG'), 'withoutCron' => $isOn('DISABLE_WP_CRON')];
	} catch (\ParseError $error) {
		throw new Refusal('wp-config.php is no PHP that can be read: ' . $error->getMessage());
	}
}
