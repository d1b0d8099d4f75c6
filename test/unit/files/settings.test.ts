import { expect, test } from 'vitest';
import { checkSearchSettings } from '../../../src/files/settings.ts';

const refusal = (key: string) =>
  expect.objectContaining({
    code: 'SESSION_REFERENCE_INVALID_CONFIG',
    message: expect.stringContaining(key) as string,
  });

test.each(['maxResults', 'maxEntries'])('%s is a positive safe integer', (key) => {
  for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '5' as unknown as number]) {
    expect(() => checkSearchSettings({ [key]: value })).toThrow(refusal(key));
  }
  expect(checkSearchSettings({ [key]: 1 })).toMatchObject({ [key]: 1 });
});

test('excludedDirectories holds basenames', () => {
  for (const name of ['', 'a/b', 'a\\b', '/', 7 as unknown as string]) {
    expect(() => checkSearchSettings({ excludedDirectories: [name] })).toThrow(
      refusal('excludedDirectories'),
    );
  }
  const noList = 'dist' as unknown as string[];
  expect(() => checkSearchSettings({ excludedDirectories: noList })).toThrow(refusal('excludedDirectories'));
});

test('defaults are those of the new releases', () => {
  expect(checkSearchSettings({})).toMatchObject({ maxResults: 20, maxEntries: 50_000 });
  expect([...checkSearchSettings({}).excluded].sort()).toEqual(
    '.git .gradle .mypy_cache .next .nuxt .pytest_cache .turbo .venv __pycache__ build coverage dist node_modules out target'.split(
      ' ',
    ),
  );
});

test('a list of exclusions replaces the default', () => {
  expect([...checkSearchSettings({ excludedDirectories: ['gen'] }).excluded]).toEqual(['gen']);
  expect([...checkSearchSettings({ excludedDirectories: [] }).excluded]).toEqual([]);
});
