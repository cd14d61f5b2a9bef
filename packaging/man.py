#!/usr/bin/env python3
"""Writes the man pages of a program from its own description of its commands: man.py PROGRAM SECTION FOLDER

The program prints the description as JSON with --experimental-dump-help. Each command gets a page: wfctl-send(1).
"""
import json
import os
import pathlib
import subprocess
import sys
import time

FILES = {"wfd": [
    ("/etc/wfd/wfd.yaml", "The settings of the service; 'wfd config example' prints all of them."),
    ("/var/lib/wfd/wfd.db", "The database of the service."),
    ("/run/wfd/wfd.sock", "The socket of the service; members of the group 'wfd' may use it."),
    ("/usr/share/doc/wfd", "The manual, examples and alerts."),
]}


def escaped(text):
    """Returns text that troff prints as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha")
    text = text.replace("~", "\\(ti").replace("`", "\\(ga")
    text = "".join(each if each.isascii() else f"\\[u{ord(each):04X}]" for each in text)
    return "\\&" + text if text.startswith(".") else text


def paragraphs(text):
    """Returns the lines of a discussion: its examples, which begin with '$ ', keep their ends of lines."""
    for paragraph in text.strip().split("\n\n"):
        lines = paragraph.split("\n")
        is_example = lines[0].startswith(("$ ", " "))
        yield from [".PP", ".nf", ".RS 4"] if is_example else [".PP"]
        yield from (escaped(line) if line.strip() else ".sp" for line in lines)
        yield from [".RE", ".fi"] if is_example else []


def spelled(argument):
    """Returns an option with its names and its value, or the name of a positional argument."""
    value = "<" + argument.get("valueName", "value") + ">"
    if argument["kind"] == "positional":
        return value + ("..." if argument["isRepeating"] else "")
    names = sorted(argument["names"], key=lambda name: len(name["name"]))
    text = ", ".join(("-" if name["kind"] == "short" else "--") + name["name"] for name in names)
    return text + (" " + value if argument["kind"] == "option" else "")


def described(argument):
    """Returns the sentence about an argument, with its values and its default if the sentence does not name them."""
    text = argument.get("abstract", "")
    if argument.get("allValues"):
        text += " (values: " + ", ".join(argument["allValues"]) + ")"
    if "defaultValue" in argument and "default:" not in text:
        text += " (default: " + argument["defaultValue"] + ")"
    return text.strip()


def listed(title, pairs):
    """Returns a section with a term and a sentence for each pair; nothing without pairs."""
    if pairs:
        yield f".SH {title}"
    for term, sentence in pairs:
        yield from [".TP", ".B " + escaped(term), escaped(sentence)]


def page(command, names, section, heading):
    """Returns the text of a page."""
    name = "-".join(names)
    arguments = [each for each in command.get("arguments", []) if each["shouldDisplay"]]
    places = [each for each in arguments if each["kind"] == "positional"]
    options = [each for each in arguments if each["kind"] != "positional"]
    commands = shown(command)
    synopsis = [spelled(each) if not each["isOptional"] else "[" + spelled(each) + "]" for each in places]
    if commands:
        synopsis = ["[<command>]" if "defaultSubcommand" in command or places else "<command>"]
    lines = [
        f'.TH "{escaped(name.upper())}" {section} {heading}', ".SH NAME",
        escaped(name) + " \\- " + escaped(command.get("abstract", "").rstrip(".")), ".SH SYNOPSIS",
        ".B " + escaped(" ".join(names)), escaped(" ".join(["[<options>]"] + synopsis)), ".SH DESCRIPTION",
        escaped(command.get("abstract", "")), *paragraphs(command.get("discussion", "") or "."),
        *listed("ARGUMENTS", [(spelled(each), described(each)) for each in places]),
        *listed("OPTIONS", [(spelled(each), described(each)) for each in options]),
        *listed("COMMANDS", [(each["commandName"], each.get("abstract", "")) for each in commands]),
        *listed("FILES", FILES.get(name, [])), ".SH SEE ALSO",
    ]
    others = [names[:-1]] if len(names) > 1 else [["wfctl" if names[0] == "wfd" else "wfd"]]
    others += [names + [each["commandName"]] for each in commands]
    lines.append(",\n".join(f".BR {escaped('-'.join(each))} ({8 if each[0] == 'wfd' else 1})" for each in others))
    return "\n".join(line for line in lines if line != "\\&.") + "\n"


def shown(command):
    """Returns the commands of a command, without 'help' and the hidden ones."""
    commands = command.get("subcommands", [])
    return [each for each in commands if each["shouldDisplay"] and each["commandName"] != "help"]


def write(command, names, section, heading, folder):
    """Writes the pages of a command and of its commands."""
    (folder / f"{'-'.join(names)}.{section}").write_text(page(command, names, section, heading))
    for each in shown(command):
        write(each, names + [each["commandName"]], section, heading, folder)


def main():
    program, section, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    dump = subprocess.run([program, "--experimental-dump-help"], check=True, stdout=subprocess.PIPE).stdout
    version = subprocess.run([program, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    folder.mkdir(parents=True, exist_ok=True)
    command = json.loads(dump)["command"]
    write(command, [command["commandName"]], section, f'{date} "wfd {version}" "wfd"', folder)


main()
